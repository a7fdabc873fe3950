import { memberOf } from '../body/json-text.ts'
import type { BoundedBody } from './prompt-bound.ts'

/**
 * Whether a request may make the provider keep its prompt for the provider's long time: with OpenAI's member, or with
 * Anthropic's `cache_control` anywhere in the body. The name may be written with escapes.
 */
export function mayWriteForLong({ members, bytes }: Pick<BoundedBody, 'members' | 'bytes'>): boolean {
  return asksForLongWrites(members) || bytes.includes('cache_control') || bytes.includes('\\u')
}

/** Whether a chat or a response asks OpenAI to keep its prompt for the long time. */
export const asksForLongWrites = (members: BoundedBody['members']): boolean =>
  memberOf(members.prompt_cache_options, 'ttl') === '12h'
