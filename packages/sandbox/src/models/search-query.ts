import { textOf } from './prompt-text.ts'
import type { ChatRequest } from './requests.ts'

const maxLength = 100

/** What the provider's web search looks for: the start of the last question. */
export function searchQuery({ messages }: ChatRequest): string {
  const source = messages.findLast(({ role }) => role === 'user')
  return source === undefined ? '' : textOf(source).slice(0, maxLength).toWellFormed()
}
