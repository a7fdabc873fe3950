const entityTag = /(?:W\/)?("[^"]*")/g

/**
 * Whether `If-None-Match` matches a tag, by weak comparison: a cache in between may have made a strong tag weak, and
 * may send several (RFC 9110, sections 8.8.3.2 and 13.1.2).
 *
 * @param header as received; undefined without one
 * @param tag with its quotes
 */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || [...header.matchAll(entityTag)].some(([, opaque]) => opaque === tag)
}
