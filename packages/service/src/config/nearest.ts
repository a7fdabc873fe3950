/**
 * The known name that a misspelt one most likely means: `enterprise` for `enterprice`.
 *
 * @param maxDistance insertions, deletions and substitutions of a character that are allowed; default: a third of the name
 * @returns null if no known name is near
 */
export function nearest(
  name: string,
  known: Iterable<string>,
  maxDistance: number = Math.ceil(name.length / 3)
): string | null {
  const written = name.toLowerCase()
  let best: string | null = null
  let bestDistance = maxDistance + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue
    const distance = editDistance(written, candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** The Levenshtein distance, with one row of the usual table in memory. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const substituted = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substituted))
    }
    row = next
  }
  return row[other.length]!
}
