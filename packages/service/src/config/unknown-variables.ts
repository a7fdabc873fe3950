import { knownVariables } from './known-variables.ts'
import { nearest } from './nearest.ts'

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
