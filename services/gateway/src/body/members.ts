import { skipSpace } from './scan.ts'

/** A name as servers compare it that do not mind its case: also letters that become ASCII by it. */
export const fold = (name: string): string => name.toUpperCase().toLowerCase()

/** Where a member's value stands in a body: `bytes.subarray(start, end)`. */
export type MemberSpan = { name: string; start: number; end: number }

/** Replaces the bytes from `start` to `end` by `json`; where both are equal, `json` is put in there. */
export type Edit = { start: number; end: number; json: string }

/** Bytes, or a text that has a character for each byte (latin1): short ones are put together and sent faster as text. */
export type Bytes = Buffer | string

/** Up to so many bytes a body is edited as text. */
const shortBody = 16_384

/** The body with edits made, which must not overlap. The rest stays byte for byte. */
export function editBody(body: Buffer, edits: readonly Edit[]): Bytes {
  // What is put in comes before what is replaced at the same place.
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

/** Gives a member a value, replacing the one that it has. @param span where that is; undefined if the body lacks it */
export function setMember(body: Buffer, span: MemberSpan | undefined, name: string, value: unknown): Edit {
  const json = JSON.stringify(value)
  if (span !== undefined) return { start: span.start, end: span.end, json }
  // First, and never alone: every body that is forwarded has members.
  const start = skipSpace(body, 0) + 1
  return { start, end: start, json: `${JSON.stringify(name)}:${json},` }
}
