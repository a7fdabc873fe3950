import { invalidRequest } from './api-error.ts'
import { type Behaviour, parseDirectives } from './model-name.ts'

const marker = /\[sandbox((?:\+[a-z0-9=-]+)+)\]/g

/**
 * Adds the directives of a request's marker to those of its model name. A marker is `[sandbox+cached-tokens=5+tier=flex]`
 * anywhere in the body: in the prompt, `user` or `metadata`. So one model can serve requests with different behaviours. The
 * last marker counts, and its directives replace equal ones of the name.
 *
 * @throws ApiError (400) for an invalid directive
 */
export function markedBehaviour(body: Buffer, ofName: Behaviour): Behaviour {
  if (!body.includes('[sandbox+')) return ofName
  const [, text] = [...body.toString('utf8').matchAll(marker)].at(-1) ?? []
  if (text === undefined) return ofName
  const parsed = parseDirectives(text.split('+').slice(1), ofName)
  if (!parsed.valid) throw invalidRequest(`The marker [sandbox${text}] is not valid: ${parsed.problem}.`)
  return parsed.behaviour
}
