import type { ModelKind } from '@tollgate/contracts/catalog/catalog.ts'
import { countTokens } from '@tollgate/contracts/tokens/tokenize.ts'
import type { MediaRules } from '../admission/media/part-tokens.ts'
import { type BoundedBody, countedChatPrompt, countedInput } from '../admission/prompt-bound.ts'
import { findMembers } from '../body/members.ts'
import { hasRepeatedMember } from '../body/repeated-members.ts'

/** A request whose prompt is to be counted: its body, which has been understood before. */
export type CountablePrompt = {
  body: Uint8Array
  kind: ModelKind
  media: MediaRules
}

/**
 * The most tokens that a prompt can have, where its texts are counted by the tokenizer.
 *
 * @returns null if an object in it has a member twice, so that nobody knows which of them an upstream reads
 */
export function countPrompt({ body, kind, media }: CountablePrompt): number | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const members = JSON.parse(bytes.toString()) as Record<string, unknown>
  if (hasRepeatedMember(bytes, members)) return null
  const spans = new Map((findMembers(bytes) ?? []).map((span) => [span.name, span]))
  const bounded: BoundedBody = { bytes, members, spans }
  if (kind === 'chat') return countedChatPrompt(bounded, media, countTokens)
  return countedInput(bounded, kind === 'embedding' ? 'input' : 'prompt', countTokens)
}
