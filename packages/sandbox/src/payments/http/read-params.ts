import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { invalidRequest, type StripeApiError } from '../errors.ts'
import { FormError, type FormFields, type FormValue, parseForm } from './parse-form.ts'

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

function readFields(schema: TObject, given: FormFields, name: string): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
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
