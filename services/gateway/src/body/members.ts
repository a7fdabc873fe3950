import { comma, quote } from './json-bytes.ts'
import { skipSpace } from './scan.ts'

/** Folds a name as case-insensitive servers do. Some letters, such as the Kelvin sign, become ASCII. */
export const fold = (name: string): string => name.toUpperCase().toLowerCase()

/** Where a member's value is in a body: `bytes.subarray(start, end)`. */
export interface MemberSpan {
  name: string
  start: number
  end: number
}

/** Replaces the bytes from `start` to `end` by `json`. If both are equal, it inserts `json` there. */
export interface Edit {
  start: number
  end: number
  json: string
}

/** Bytes, or a text with one character per byte (latin1). Short bodies are built and sent faster as text. */
export type Bytes = Buffer | string

/** Bodies up to this length are edited as text. */
const shortBody = 16_384

/** Applies edits to a body. They must not overlap. All other bytes stay the same. */
export function editBody(body: Buffer, edits: readonly Edit[]): Bytes {
  // An insertion goes before a replacement at the same place.
  const inOrder = edits.length === 1 ? edits : edits.toSorted((a, b) => a.start - b.start || a.end - b.end)
  return body.length <= shortBody ? editShort(body, inOrder) : editLong(body, inOrder)
}

function editShort(body: Buffer, edits: readonly Edit[]): string {
  let text = ''
  let at = 0
  for (const { start, end, json } of edits) {
    text += body.toString('latin1', at, start) + (isAscii.test(json) ? json : Buffer.from(json).toString('latin1'))
    at = end
  }
  return text + body.toString('latin1', at)
}

const isAscii = /^[ -~]*$/

function editLong(body: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const { start, end, json } of edits) {
    parts.push(body.subarray(at, start), Buffer.from(json))
    at = end
  }
  parts.push(body.subarray(at))
  return Buffer.concat(parts)
}

/** Sets the value of a member. @param span of the old value; undefined if the body lacks the member */
export function setMember(body: Buffer, span: MemberSpan | undefined, name: string, value: unknown): Edit {
  const json = JSON.stringify(value)
  if (span !== undefined) return { start: span.start, end: span.end, json }
  // Inserts it first. A comma follows, because every forwarded body has members.
  const start = skipSpace(body, 0) + 1
  return { start, end: start, json: `${JSON.stringify(name)}:${json},` }
}

/**
 * Removes a member and one comma beside it.
 *
 * @param span of its value. Its name must not contain quotes.
 */
export function removeMember(body: Buffer, { start, end }: MemberSpan): Edit {
  const nameStart = body.lastIndexOf(quote, body.lastIndexOf(quote, start - 1) - 1)
  const next = skipSpace(body, end)
  if (body[next] === comma) return { start: nameStart, end: next + 1, json: '' }
  // The last member. Only white space separates its name from the comma before it. A single member has no comma.
  const before = body.lastIndexOf(comma, nameStart)
  return { start: before < 0 ? nameStart : before, end, json: '' }
}

/** Removes several members of one object, with the commas beside them. */
export function removeMembers(body: Buffer, spans: readonly MemberSpan[]): Edit[] {
  const edits = spans.map((span) => removeMember(body, span)).sort((one, other) => one.start - other.start)
  // The last member of the object takes the comma before it, which a removed member before it has taken, too.
  for (let at = edits.length - 1; at > 0 && edits[at]!.start < edits[at - 1]!.end; at--) {
    const { start } = edits[at - 1]!
    const { end } = edits.pop()!
    const before = body.lastIndexOf(comma, start)
    edits[at - 1] = { start: before < 0 ? start : before, end, json: '' }
  }
  return edits
}
