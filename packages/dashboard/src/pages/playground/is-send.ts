import type { KeyboardEvent } from 'react'

/** Whether a key sends the message: Enter alone, and not the one that ends the input of a Japanese or Chinese word. */
export const isSend = ({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean =>
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing
