import { knownVariables } from './known-variables.ts'

/** Kubernetes and Docker set such variables for services and links. */
const setByOthers = /_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT|PORT_\d+_(TCP|UDP).*)$/
/** A shorter name resembles too many others. */
const minLength = 7

/**
 * Finds variables that are probably misspelt: like a variable of Tollgate, but none.
 *
 * @returns a warning for each, without values
 */
export function findUnknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => !knownVariables.has(name) && name.length >= minLength && !setByOthers.test(name))
    .flatMap((name) => {
      const meant = nearestVariable(name)
      return meant === null ? [] : [`${name}: no such variable. Did you mean ${meant}?`]
    })
    .toSorted()
}

/** An upstreams file may name variables that resemble those of the shipped file. */
const candidates = [...knownVariables].filter((name) => !name.startsWith('OPENAI_'))

/** Names that begin with the same word, such as STRIPE, may differ more. OpenTelemetry has many further variables. */
function nearestVariable(name: string): string | null {
  const [word = ''] = name.split('_')
  if (word === 'OTEL') return nearest(name, candidates, 2)
  const related = candidates.filter((one) => one.startsWith(`${word}_`))
  return nearest(name, related, Math.floor(name.length / 3)) ?? nearest(name, candidates, 2)
}

/**
 * The known name that a misspelt one most likely means: `enterprise` for `enterprice`.
 *
 * @param maxDistance insertions, deletions, substitutions and exchanges of characters that are allowed; default: a
 *   third of the name
 * @returns null if no known name is near
 */
export function nearest(
  name: string,
  names: Iterable<string>,
  maxDistance: number = Math.ceil(name.length / 3)
): string | null {
  const written = name.toLowerCase()
  let best: string | null = null
  let bestDistance = maxDistance + 1
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue
    const distance = editDistance(written, candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/**
 * How many letters have to be inserted, removed, replaced or exchanged with their neighbour to make one text from the
 * other (optimal string alignment).
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
