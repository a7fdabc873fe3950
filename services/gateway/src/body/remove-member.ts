import { comma, quote } from './json-bytes.ts'
import type { Edit, MemberSpan } from './members.ts'
import { skipSpace } from './scan.ts'

/**
 * Takes a member out, with one comma beside it.
 *
 * @param span where its value is. Its name must have no quotes in it.
 */
export function removeMember(body: Buffer, { start, end }: MemberSpan): Edit {
  const nameStart = body.lastIndexOf(quote, body.lastIndexOf(quote, start - 1) - 1)
  const next = skipSpace(body, end)
  if (body[next] === comma) return { start: nameStart, end: next + 1, json: '' }
  // The last member. Only white space is between its name and the comma before it; the first member has no comma before it.
  const before = body.lastIndexOf(comma, nameStart)
  return { start: before < 0 ? nameStart : before, end, json: '' }
}
