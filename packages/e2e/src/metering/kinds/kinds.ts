import { chatKinds } from './chat-kinds.ts'
import { compactKinds } from './compact-kinds.ts'
import { completionKinds } from './completion-kinds.ts'
import type { Kind } from './kind.ts'
import { messagesKinds } from './messages-kinds.ts'
import { repeatKinds } from './repeat-kinds.ts'
import { responsesKinds } from './responses-kinds.ts'
import { searchKinds } from './search-kinds.ts'

export const kinds: readonly Kind[] = [
  ...chatKinds,
  ...completionKinds,
  ...responsesKinds,
  ...messagesKinds,
  ...searchKinds,
  ...compactKinds,
  ...repeatKinds
]

/** Chooses a kind by its weight. @param at from 0 to 1 */
export function chooseKind(at: number): Kind {
  let left = at * kinds.reduce((sum, { weight }) => sum + weight, 0)
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  return kinds.at(-1)!
}
