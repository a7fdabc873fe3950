const entityTag = /(?:W\/)?("[^"]*")/g

/**
 * Whether `If-None-Match` names a tag, by weak comparison: a cache on the way may have made a strong tag weak, and may
 * have several (RFC 9110, sections 8.8.3.2 and 13.1.2).
 *
 * @param header as it came; undefined if none did
 * @param tag with its quotes
 */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || [...header.matchAll(entityTag)].some(([, opaque]) => opaque === tag)
}
