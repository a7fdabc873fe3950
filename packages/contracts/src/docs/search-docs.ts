/** What a search can find. */
export interface Found {
  readonly title: string
  /** Which part of the site it is in. */
  readonly group: string
  readonly href: string
  readonly text: string
}

/**
 * Finds what has all words: those with them in the title first, and titles that begin with them before all.
 *
 * @param words as typed
 * @param max how many at most
 */
export function searchDocs(index: readonly Found[], words: string, max: number): Found[] {
  const parts = words
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== '')
  if (parts.length === 0) return []
  const scored = index.flatMap((found) => {
    const title = found.title.toLowerCase()
    const all = `${title} ${found.group} ${found.text}`.toLowerCase()
    if (!parts.every((part) => all.includes(part))) return []
    const score = title.startsWith(parts[0]!) ? 0 : parts.every((part) => title.includes(part)) ? 1 : 2
    return [{ found, score }]
  })
  return scored
    .toSorted((one, other) => one.score - other.score)
    .slice(0, max)
    .map(({ found }) => found)
}
