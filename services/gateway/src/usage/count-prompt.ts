import type { Model, ModelKind } from '@tollgate/contracts/catalog/catalog.ts'
import { countTokens } from '@tollgate/contracts/tokens/tokenize.ts'
import { type BoundedBody, countedChatPrompt, countedInput } from '../admission/prompt-bound.ts'
import { colon, quote } from '../body/json-bytes.ts'
import { findMembers } from '../body/members.ts'
import { skipString } from '../body/scan.ts'

/** A request whose prompt is to be counted: its body, which has been understood before. */
export type CountablePrompt = {
  body: Uint8Array
  kind: ModelKind
  imageTokens: Model['imageTokens']
}

/**
 * The most tokens that a prompt can have, where its texts are counted by the tokenizer.
 *
 * @returns null if an object in it has a member twice, so that nobody knows which of them an upstream reads
 */
export function countPrompt({ body, kind, imageTokens }: CountablePrompt): number | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const members = JSON.parse(bytes.toString()) as Record<string, unknown>
  if (countMembers(members) !== countColons(bytes)) return null
  const spans = new Map((findMembers(bytes) ?? []).map((span) => [span.name, span]))
  const bounded: BoundedBody = { bytes, members, spans }
  if (kind === 'chat') return countedChatPrompt(bounded, { imageTokens }, countTokens)
  return countedInput(bounded, kind === 'embedding' ? 'input' : 'prompt', countTokens)
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value)
  return inner.reduce<number>((sum, one) => sum + countMembers(one), Array.isArray(value) ? 0 : inner.length)
}

/** Colons outside of strings. */
function countColons(bytes: Buffer): number {
  let colons = 0
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] === quote) at = skipString(bytes, at)
    else if (bytes[at++] === colon) colons++
  }
  return colons
}
