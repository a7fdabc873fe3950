/**
 * The known name that a misspelt one most likely means: `enterprise` for `enterprice`.
 *
 * @param maxDistance insertions, deletions, substitutions and exchanges of characters that are allowed; default: a third of the name
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

/**
 * How many letters have to be inserted, removed, replaced or exchanged with their neighbour to make one text from the other
 * (optimal string alignment).
 */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row.push(
        Math.min(
          last[j]! + 1,
          row[j - 1]! + 1,
          last[j - 1]! + (isSame ? 0 : 1),
          isExchanged ? beforeLast[j - 2]! + 1 : Number.POSITIVE_INFINITY
        )
      )
    }
    beforeLast = last
    last = row
  }
  return last[other.length]!
}
