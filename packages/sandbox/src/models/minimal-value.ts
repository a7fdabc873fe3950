const maxLength = 1_000_000

const formats: Record<string, string> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000'
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type Schema = Readonly<Record<string, unknown>>

interface Context {
  readonly root: Schema
  /** The references being resolved, to detect recursion. */
  readonly following: ReadonlySet<string>
  readonly depth: number
}

/** Thrown if a schema has no value, so that the next alternative is tried. Caught in this file. */
class NoValue extends Error {}

const maxDepth = 100
const maxItems = 10_000

/**
 * Builds a small JSON value for a JSON schema: only required members, as few items as allowed, the first alternative
 * that ends. Supports the keywords of OpenAI's structured outputs and `allOf`, `const`, `default`; not `pattern`,
 * `not`, `if`.
 *
 * @returns null without a value, as for an endless recursion
 */
export function minimalValue(schema: unknown): Json {
  try {
    return build(schema, { root: asSchema(schema) ?? {}, following: new Set(), depth: 0 })
  } catch (error) {
    if (error instanceof NoValue) return null
    throw error
  }
}

function build(definition: unknown, outer: Context): Json {
  const context = { ...outer, depth: outer.depth + 1 }
  if (definition === false || context.depth > maxDepth) throw new NoValue()
  const schema = asSchema(definition) ?? {}
  if (typeof schema.$ref === 'string') return buildReference(schema.$ref, context)
  if (schema.const !== undefined) return schema.const as Json
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0] as Json
  if (schema.default !== undefined) return schema.default as Json
  const { anyOf, oneOf, allOf, ...own } = schema
  const alternatives = anyOf ?? oneOf
  if (Array.isArray(alternatives)) {
    return firstOf(alternatives.map((alternative) => () => build(merge([own, alternative], context), context)))
  }
  if (Array.isArray(allOf)) return build(merge([own, ...allOf], context), context)
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? impliedType(schema)]
  return firstOf(types.map((type) => () => buildType(type, schema, context)))
}

function buildType(type: unknown, schema: Schema, context: Context): Json {
  switch (type) {
    case 'string':
      return minimalString(schema)
    case 'integer':
    case 'number':
      return minimalNumber(type, schema)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array': {
      const fixed = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
      const length = typeof schema.minItems === 'number' ? schema.minItems : 0
      if (length > maxItems) throw new NoValue()
      return Array.from({ length }, (_, index) => build(fixed[index] ?? schema.items, context))
    }
    default: {
      const properties = asSchema(schema.properties) ?? {}
      return Object.fromEntries(asNames(schema.required).map((name) => [name, build(properties[name], context)]))
    }
  }
}

function firstOf(attempts: ReadonlyArray<() => Json>): Json {
  for (const attempt of attempts) {
    try {
      return attempt()
    } catch (error) {
      if (!(error instanceof NoValue)) throw error
    }
  }
  throw new NoValue()
}

function buildReference(reference: string, context: Context): Json {
  if (context.following.has(reference)) throw new NoValue()
  const following = new Set([...context.following, reference])
  return build(resolve(reference, context.root), { ...context, following })
}

/** The target of a JSON pointer into the document, such as `#/$defs/node`. */
function resolve(reference: string, root: Schema): unknown {
  let target: unknown = root
  for (const part of reference.split('/').slice(1)) {
    target = asSchema(target)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  if (target === undefined) throw new NoValue()
  return target
}

/** Merges schemas into one. If they contradict each other, the last one wins. */
function merge(schemas: readonly unknown[], { root, following }: Context): Schema {
  if (schemas.includes(false)) throw new NoValue()
  const own = asSchema(schemas[0]) ?? {}
  const [only] = schemas.slice(1)
  // A lone reference is resolved when its value is built, where cycles are detected.
  if (schemas.length === 2 && Object.keys(own).every((keyword) => annotations.has(keyword))) return asSchema(only) ?? {}
  const parts = schemas.map((schema) => {
    const { $ref, ...rest } = asSchema(schema) ?? {}
    if (typeof $ref !== 'string') return rest
    if (following.has($ref)) throw new NoValue()
    return { ...asSchema(resolve($ref, root)), ...rest }
  })
  const merged: Record<string, unknown> = Object.assign({}, ...parts)
  if (parts.some((part) => asSchema(part.properties) !== null)) {
    merged.properties = Object.assign({}, ...parts.map((part) => part.properties))
  }
  merged.required = [...new Set(parts.flatMap((part) => asNames(part.required)))]
  return merged
}

/** Keywords that do not restrict values. */
const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  '$defs',
  'definitions',
  '$schema',
  '$id'
])

function impliedType(schema: Schema): string {
  if (schema.items !== undefined || schema.prefixItems !== undefined || schema.minItems !== undefined) return 'array'
  if (['minLength', 'maxLength', 'format', 'pattern'].some((keyword) => schema[keyword] !== undefined)) return 'string'
  if (['minimum', 'maximum', 'multipleOf'].some((keyword) => schema[keyword] !== undefined)) return 'number'
  return 'object'
}

function asSchema(value: unknown): Schema | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : null
}

function asNames(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

/** A number that satisfies a schema's limits and `multipleOf`: 0 if possible, else a number near a limit. */
function minimalNumber(type: 'integer' | 'number', schema: Schema): number {
  const step = asNumber(schema.multipleOf, type === 'integer' ? 1 : 0)
  const [above, below] = [asNumber(schema.exclusiveMinimum, -Infinity), asNumber(schema.exclusiveMaximum, Infinity)]
  const min = Math.max(asNumber(schema.minimum, -Infinity), above)
  const max = Math.min(asNumber(schema.maximum, Infinity), below)
  const near =
    step === 0
      ? [min, max, min + 1, max - 1, min / 2 + max / 2]
      : [Math.ceil(min / step), Math.ceil(min / step) + 1, Math.floor(max / step), Math.floor(max / step) - 1].map(
          (multiple) => multiple * step
        )
  const fits = (value: number) =>
    Number.isFinite(value) && value >= min && value <= max && value > above && value < below
  return [0, ...near].find(fits) ?? 0
}

/** A string of the format or the length (at max a million) that a schema asks for. */
function minimalString(schema: Schema): string {
  const example = typeof schema.format === 'string' ? formats[schema.format] : undefined
  if (example !== undefined) return example
  return 'sandbox'
    .padEnd(Math.min(asNumber(schema.minLength, 0), maxLength), 'x')
    .slice(0, asNumber(schema.maxLength, Infinity))
}

function asNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}
