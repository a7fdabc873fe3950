import { hostedSearchType } from '@tollgate/contracts/http/messages-members.ts'
import { quote } from '../body/json-bytes.ts'
import { decodeText } from '../body/json-text.ts'
import { note } from '../body/shape.ts'
import type { BoundedBody } from '../tokens/prompt-bound.ts'
import type { HostedSearches } from '../tokens/token-bound.ts'

/**
 * Passes of the model in one message. Anthropic pauses a message after ten (platform.claude.com, "server tools", 2026). A search beyond
 * `max_uses` fails and costs nothing, but the model reads its prompt again.
 */
const maxPasses = 10

/**
 * The searches of a message, if it has the provider's web search. It is not known whether `max_tokens` limits all passes together, so each
 * may have all of the output.
 */
export function messageSearches({ bytes, notes, labels }: BoundedBody): HostedSearches | null {
  if (!labels.has(hostedSearchType)) return null
  const { typeStart, limit } = findSearch(bytes, notes)
  return {
    asked: limit === null ? null : Number(bytes.toString('latin1', limit.start, limit.end)),
    passes: () => maxPasses,
    outputs: () => maxPasses,
    limit(calls) {
      if (limit !== null) return { ...limit, json: String(calls) }
      const start = nameStart(bytes, typeStart)
      return { start, end: start, json: `"max_uses":${calls},` }
    }
  }
}

interface FoundSearch {
  /** Where the text of the tool's type begins. */
  readonly typeStart: number
  /** The value of `max_uses`. */
  readonly limit: { readonly start: number; readonly end: number } | null
}

/** @param notes with such a tool */
function findSearch(bytes: Buffer, notes: readonly number[]): FoundSearch {
  let [typeStart, limit] = [-1, null as FoundSearch['limit']]
  for (let at = 0; at < notes.length; at += 3) {
    const [kind, start, end] = [notes[at]!, notes[at + 1]!, notes[at + 2]!]
    if (kind === note.tool) {
      if (typeStart >= 0) break
      limit = null
    } else if (kind === note.callLimit) limit = { start, end }
    else if (kind === note.label && decodeText(bytes, start, end) === hostedSearchType) typeStart = start
  }
  return { typeStart, limit }
}

/** Where the name of a member begins whose value is the text that begins at `textStart`. */
const nameStart = (bytes: Buffer, textStart: number): number =>
  bytes.lastIndexOf(quote, bytes.lastIndexOf(quote, textStart - 2) - 1)
