import { memberOf } from '../body/member-of.ts'
import type { BoundedBody } from './prompt-bound.ts'

/**
 * Whether a request may make the provider keep its prompt for the provider's long time: with OpenAI's member, or with Anthropic's
 * `cache_control` anywhere in the body. The name may be written with escapes.
 */
export function mayWriteForLong({ members, bytes }: Pick<BoundedBody, 'members' | 'bytes'>): boolean {
  if (memberOf(members.prompt_cache_options, 'ttl') === '12h') return true
  return bytes.includes('cache_control') || bytes.includes('\\u')
}
