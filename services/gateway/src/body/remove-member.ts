import { comma, quote } from './json-bytes.ts'
import type { Edit, MemberSpan } from './members.ts'
import { skipSpace } from './scan.ts'

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
