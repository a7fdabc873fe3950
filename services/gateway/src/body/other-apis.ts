import { nearest } from '@tollgate/service/config/unknown-variables.ts'

/**
 * Names and values that requests of one API have and another API does not. Only errors read them: they say what to send
 * instead.
 */

/** Values of `type` in other APIs, and what has the same meaning. An API has some of these. */
const sameTypes: Readonly<Record<string, readonly string[]>> = {
  text: ['input_text', 'output_text'],
  input_text: ['text'],
  output_text: ['text'],
  image: ['image_url', 'input_image'],
  image_url: ['input_image', 'image'],
  input_image: ['image_url', 'image'],
  function: ['custom']
}

/** @returns the values that an API has instead of one of another API; empty for any other value */
export const sameTypesOf = (value: string, allowed: readonly string[]): string[] =>
  Object.hasOwn(sameTypes, value) ? sameTypes[value]!.filter((other) => allowed.includes(other)) : []

/** Members within a request: the member, another one that the same object may have, and what to do. */
const innerMembers: ReadonlyArray<readonly [name: string, beside: string, advice: string]> = [
  ['function', 'parameters', 'Write name, description and parameters beside type.'],
  ['function', 'input_schema', 'Write name, description and input_schema without function.'],
  ['parameters', 'input_schema', 'This endpoint has input_schema instead.'],
  ['input_schema', 'parameters', 'This endpoint has parameters instead.'],
  ...['name', 'description', 'parameters', 'strict', 'input_schema'].map(
    (name) => [name, 'function', 'Write name, description and parameters into function.'] as const
  ),
  ['image_url', 'source', 'This endpoint has source instead.']
]

/**
 * What to do about an unknown member of an object within a request.
 *
 * @param names the members that the object may have
 */
export function adviceForInner(name: string, names: ReadonlySet<string>): string {
  const row = innerMembers.find((one) => one[0] === name && names.has(one[1]))
  if (row !== undefined) return row[2]
  const meant = likelyMeant(name, names)
  return meant === null ? 'Remove it.' : `Did you mean ${meant}?`
}

/** Required members, and what other APIs call them. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  messages: ['input', 'prompt'],
  input: ['messages', 'prompt', 'text'],
  max_tokens: ['max_tokens_to_sample']
}

/** What to do about a required member that a request lacks. @param sent the members of the request */
export function adviceForMissing(name: string, sent: Iterable<string>): string {
  const names = [...sent]
  const other = otherNames[name]?.find((one) => names.includes(one))
  if (other !== undefined) return `This endpoint has ${name} instead of ${other}.`
  const written = names.find((one) => likelyMeant(one, [name]) !== null)
  return written === undefined ? 'Add it.' : `You sent ${written}. Did you mean ${name}?`
}

/** The known name that a misspelt name means: at most two letters differ, and no more than a third. Null for none. */
export const likelyMeant = (name: string, names: Iterable<string>): string | null =>
  name.length > maxMisspelt ? null : nearest(name, names, Math.min(2, Math.floor(name.length / 3)))

/** Longer names are not compared with others. */
const maxMisspelt = 60
