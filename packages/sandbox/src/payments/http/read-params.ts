import type { Static, TObject, TProperties, TSchema } from 'typebox'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { invalidRequest, type StripeApiError } from '../errors.ts'

// Schemas of API parameters. All values arrive as text; `read-params.ts` converts them.

export const text = Type.String({ minLength: 1 })

export const integer = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
export const flag = Type.Boolean()
export const list = <Item extends TSchema>(item: Item) => Type.Array(item)

/** An object with exactly these parameters. */
export const fields = <Fields extends TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })

export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)

/** May be absent. The empty text removes the stored value; it is read as null. */
export const clearable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

/** Up to 50 pairs. An empty value removes its key; the empty text removes all pairs. */
export const metadata = clearable(Type.Record(Type.String(), Type.String({ maxLength: 500 }), { maxProperties: 50 }))

/** Paths of ids to replace by objects. Every call accepts it. */
export const expand = optional(list(text))

/** A range of Unix seconds, with Stripe's names. */
export const range = optional(
  fields({ gt: optional(integer), gte: optional(integer), lt: optional(integer), lte: optional(integer) })
)

/** The parameters of every list. */
export const paging = {
  limit: optional(Type.Integer({ minimum: 1, maximum: 100 })),
  starting_after: optional(text),
  ending_before: optional(text)
}

const maxDepth = 16

/** Far more than any call needs. Parsing time grows faster than the number of fields. */
const maxFields = 1000

/**
 * Reads the parameters of a call from its form or query string.
 *
 * @throws StripeApiError 400, with the code and the parameter that Stripe names
 */
export function readParams<Schema extends TObject>(schema: Schema, form: string): Static<Schema> {
  const read = readFields(schema, parse(form), '')
  if (Value.Check(schema, read)) return read
  const [problem] = Value.Errors(schema, read)
  const [first = '', ...rest] = problem?.instancePath.split('/').slice(1) ?? []
  const param = [first, ...rest.map((part) => `[${part}]`)].join('')
  throw invalidRequest(`Invalid ${param}: ${problem?.message}`, { param })
}

function parse(form: string): FormFields {
  try {
    return parseForm(form)
  } catch (error) {
    throw error instanceof FormError ? invalidRequest(error.message) : error
  }
}

function readFields(schema: TObject, form: FormFields, name: string): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(form)) {
    const field = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
    const param = within(name, key)
    if (field === undefined) {
      throw invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
    }
    read[key] = readValue(field, value, param)
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(read, key)) {
      const param = within(name, key)
      throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
    }
  }
  return read
}

function readValue(schema: TSchema, value: FormValue, param: string): unknown {
  if (Type.IsUnion(schema)) {
    const [inner] = schema.anyOf
    return value === '' || inner === undefined ? null : readValue(inner, value, param)
  }
  if (Type.IsArray(schema)) return readList(schema.items, value, param)
  if (Type.IsRecord(schema)) return { ...hash(value, param) }
  if (Type.IsObject(schema)) return readFields(schema, hash(value, param), param)
  if (typeof value !== 'string') throw invalidRequest(`Invalid string: ${JSON.stringify(value)}`, { param })
  return readText(schema, value, param)
}

function readText(schema: TSchema, value: string, param: string): unknown {
  if (value === '') throw emptyParameter(param)
  if (Type.IsInteger(schema)) {
    if (/^-?\d{1,16}$/.test(value)) return Number(value)
    throw invalidRequest(`Invalid integer: ${value}`, { code: 'parameter_invalid_integer', param })
  }
  if (Type.IsBoolean(schema)) {
    if (value === 'true' || value === 'false') return value === 'true'
    throw invalidRequest(`Invalid boolean: ${value}`, { param })
  }
  if (Type.IsEnum(schema) && !schema.enum.includes(value)) {
    throw invalidRequest(`Invalid ${param}: must be one of ${schema.enum.join(', ')}`, { param })
  }
  return value
}

function readList(items: TSchema, value: FormValue, param: string): unknown[] {
  if (value === '') return []
  if (typeof value === 'string') throw invalidRequest('Invalid array', { param })
  const indexes = Object.keys(value)
  if (indexes.some((index) => !/^\d{1,4}$/.test(index))) throw invalidRequest('Invalid array', { param })
  return indexes
    .sort((a, b) => Number(a) - Number(b))
    .map((index) => readValue(items, value[index] ?? '', within(param, index)))
}

function hash(value: FormValue, param: string): FormFields {
  if (typeof value === 'string') throw invalidRequest('Invalid hash', { param })
  return value
}

function emptyParameter(param: string): StripeApiError {
  return invalidRequest(
    `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`,
    { code: 'parameter_invalid_empty', param }
  )
}

function within(name: string, key: string): string {
  return name === '' ? key : `${name}[${key}]`
}

/** A value of a form: text, or the fields in its brackets. Arrays are objects with indexes as names. */
type FormValue = string | FormFields

export interface FormFields {
  [name: string]: FormValue
}

/** Thrown for an invalid form; `message` says why. */
export class FormError extends Error {
  override readonly name = 'FormError'
}

/**
 * Parses `application/x-www-form-urlencoded` as Stripe's clients write it: `a[b][0]=c` is the value `c` at `a`, `b`,
 * `0`; `a[]=c` is the next element of `a`. If a name repeats, the last value counts. The objects have no prototype.
 *
 * @throws FormError for too many fields, broken percent-encoding or brackets, or a name that is both text and object
 */
export function parseForm(form: string): FormFields {
  const fields = emptyFields()
  const pairs = form.split('&')
  if (pairs.length > maxFields) throw new FormError('Too many parameters')
  for (const pair of pairs) {
    if (pair === '') continue
    const end = pair.indexOf('=')
    const name = decode(end === -1 ? pair : pair.slice(0, end))
    put(fields, pathOf(name), end === -1 ? '' : decode(pair.slice(end + 1)), name)
  }
  return fields
}

function put(fields: FormFields, path: readonly string[], value: string, name: string): void {
  let place = fields
  for (const [depth, part] of path.entries()) {
    const key = part === '' ? String(Object.keys(place).length) : part
    const present = place[key]
    if (depth === path.length - 1) {
      if (typeof present === 'object') throw new FormError(`Invalid parameter: ${name} is given as text and as a hash`)
      place[key] = value
    } else if (present === undefined) {
      const next = emptyFields()
      place[key] = next
      place = next
    } else if (typeof present === 'string') {
      throw new FormError(`Invalid parameter: ${name} is given as text and as a hash`)
    } else {
      place = present
    }
  }
}

/** `a[b][]` → `a`, `b` and the empty text. */
function pathOf(name: string): string[] {
  const start = name.indexOf('[')
  if (start === -1) return [name]
  const brackets = name.slice(start)
  if (start === 0 || !/^(\[[^[\]]*\])+$/.test(brackets)) throw new FormError(`Invalid parameter name: ${name}`)
  const path = [name.slice(0, start), ...brackets.slice(1, -1).split('][')]
  if (path.length > maxDepth) throw new FormError(`Invalid parameter name: ${name.slice(0, 100)} is nested too deeply`)
  return path
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new FormError('Invalid percent-encoding in the request')
  }
}

function emptyFields(): FormFields {
  return Object.create(null)
}

/** One of these words. */
export const oneOf = <Words extends string[]>(...words: readonly [...Words]) => Type.Enum<Words>(words)
