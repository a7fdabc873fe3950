import { colon, quote } from './json-bytes.ts'
import { skipString } from './scan.ts'

/** Whether an object anywhere in a body has a member twice: parsers differ in which of the two they believe. */
export function hasRepeatedMember(body: Buffer, parsed: unknown): boolean {
  return countMembers(parsed) !== countColons(body)
}

/** Not recursive: a body may be nested deeper than the stack is. */
function countMembers(value: unknown): number {
  let members = 0
  const open = [value]
  while (open.length > 0) {
    const inner = open.pop()
    if (typeof inner !== 'object' || inner === null) continue
    const values = Object.values(inner)
    if (!Array.isArray(inner)) members += values.length
    for (const one of values) if (typeof one === 'object') open.push(one)
  }
  return members
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
