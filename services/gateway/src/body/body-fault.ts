import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { maxReadLength } from './limits.ts'
import { fold } from './members.ts'
import { adviceForInner, adviceForMissing, sameTypesOf } from './other-apis.ts'
import { kind, type Shape } from './shape.ts'

const kindNames = new Map<number, string>([
  [kind.text, 'a string'],
  [kind.number, 'a number'],
  [kind.boolean, 'true or false'],
  [kind.null, 'null'],
  [kind.object, 'an object'],
  [kind.array, 'an array']
])
/** More allowed texts are not listed. */
const maxListed = 8

/**
 * What a value must be, in words: `must be true, false or null, not a string`.
 *
 * @param valueKind the kind of a value whose kind is wrong
 */
export function describeShape(shape: Shape, valueKind?: number): string {
  const { kinds } = shape
  const has = (bit: number) => (kinds & bit) !== 0
  const forms = [
    ...(has(kind.boolean) ? ['true', 'false'] : []),
    ...(has(kind.text) ? textForms(shape) : []),
    ...(has(kind.number) ? [numberForm(shape)] : []),
    ...(has(kind.object) ? ['an object'] : []),
    ...(has(kind.array) ? [arrayForm(shape)] : []),
    ...(has(kind.null) ? ['null'] : [])
  ]
  const wrong = valueKind === undefined || has(valueKind) ? '' : `, not ${kindNames.get(valueKind)}`
  return `must be ${listed(forms)}${wrong}`
}

function textForms({ texts, minLength }: Shape): string[] {
  if (texts !== null && texts.length <= maxListed) return texts.map((text) => JSON.stringify(text))
  return [minLength > 0 ? 'a string that is not empty' : 'a string']
}

function numberForm({ isInteger, minimum, maximum }: Shape): string {
  const what = isInteger ? 'a whole number' : 'a number'
  const [hasMinimum, hasMaximum] = [Number.isFinite(minimum), Number.isFinite(maximum)]
  if (hasMinimum && hasMaximum) return `${what} from ${minimum} to ${maximum}`
  if (hasMinimum) return `${what} of at least ${minimum}`
  return hasMaximum ? `${what} of at most ${maximum}` : what
}

function arrayForm({ minItems }: Shape): string {
  if (minItems === 0) return 'an array'
  return `an array with at least ${minItems} item${minItems === 1 ? '' : 's'}`
}

const listed = (forms: readonly string[]): string =>
  forms.length < 2 ? forms.join() : `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`

/** Longer paths are cut in messages. */
const maxPath = 200

const shortPath = (path: string): string => (path.length > maxPath ? `${path.slice(0, maxPath)}…` : path)

/**
 * The value does not fit the schema.
 *
 * @param path such as `messages[0].content`; empty for the request itself
 * @param reason such as `must be true or false`
 */
export const notValid = (path: string, reason: string): ServiceError =>
  new ServiceError('invalid_request', {
    message: path === '' ? 'The request body must be an object.' : `${shortPath(path)}: ${reason}.`
  })

/** The value is longer than what the gateway reads of a member. */
export const tooLong = (path: string): ServiceError =>
  notValid(path, `must have at most ${maxReadLength.toLocaleString('en')} bytes`)

/** Longer than the types in {@link sameTypesOf}. */
const maxType = 20

/**
 * The text from `start` to `end` is a type of another API.
 *
 * @returns null unless the text has an equal among the allowed ones
 */
export function otherType(
  path: string,
  bytes: Buffer,
  start: number,
  end: number,
  allowed: readonly string[]
): ServiceError | null {
  const type = end - start > maxType ? '' : bytes.toString('latin1', start, end)
  const equals = sameTypesOf(type, allowed)
  return equals.length === 0 ? null : notValid(path, `this endpoint has ${equals.join(' or ')} instead of ${type}`)
}

export const unpriced = (path: string, reason: string): ServiceError =>
  new ServiceError('unpriced_parameter', { message: `${shortPath(path)}: ${reason}. Remove it.` })

/** @param sent the members that the request has instead */
export const missing = (path: string, sent: Iterable<string>): ServiceError =>
  new ServiceError('invalid_request', { message: `${shortPath(path)}: missing. ${adviceForMissing(path, sent)}` })

export const repeated = (path: string): ServiceError =>
  new ServiceError('invalid_request', { message: `${shortPath(path)}: given more than once. Keep one.` })

/** For an unknown name, or a known name in another case: only some servers ignore the case. */
export function unknownName(path: string, name: string, names: ReadonlySet<string>): ServiceError {
  const spelling = fold(name)
  const isKnown = names.has(spelling)
  return new ServiceError('invalid_request', {
    message: isKnown
      ? `${shortPath(path)}: write it as ${spelling}.`
      : `${shortPath(path)}: not supported here. ${adviceForInner(name, names)}`
  })
}

/** @param what continues "The request body …" */
export const beyondLimit = (what: string): ServiceError =>
  new ServiceError('invalid_request', { message: `The request body ${what}. Reduce it.` })

/**
 * The bytes are not JSON.
 *
 * @param at index of the first byte that is not expected; the length if the bytes end too early
 */
export function notJson(bytes: Buffer, at: number): ServiceError {
  return new ServiceError('invalid_json', { message: `The request body is not valid JSON${placeOf(bytes, at)}` })
}

function placeOf(bytes: Buffer, at: number): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return ': it begins with a byte order mark (BOM). Send it without the mark.'
  if (bytes[0] === 0 || bytes[1] === 0) return ': it seems to be UTF-16. Encode it as UTF-8.'
  if (at >= bytes.length) return ': it ends too early. Send all of it.'
  return `: byte ${at.toLocaleString('en')} is not expected. Correct it and send it again.`
}
