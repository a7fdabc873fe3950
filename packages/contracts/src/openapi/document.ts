/**
 * Prints a schema for readers, like a TypeScript type. Bounds and descriptions are comments; named schemas appear as
 * their name.
 */
export function describeSchema(schema: JsonSchema, indent = ''): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1)!
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const alternatives = schema.anyOf ?? schema.oneOf
  if (Array.isArray(alternatives)) {
    return alternatives.map((alternative) => describeSchema(asSchema(alternative), indent)).join(' | ')
  }
  switch (schema.type) {
    case 'object':
      return describeObject(schema, indent)
    case 'array': {
      const items = describeSchema(asSchema(schema.items), indent)
      return items.includes(' | ') ? `(${items})[]` : `${items}[]`
    }
    case undefined:
      return 'any'
    default:
      return [schema.type].flat().join(' | ')
  }
}

/** The bounds of a schema's values in words, such as `1 to 100 characters`. */
export function describeRanges(schema: JsonSchema): string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, minProperties, maxProperties } = schema
  return [
    between(minLength, maxLength, 'characters'),
    between(minimum, maximum, ''),
    between(minItems, maxItems, 'items'),
    between(minProperties, maxProperties, 'members')
  ].filter((part) => part !== '')
}

/** Describes the bounds of a schema in words; empty if it has none. */
const describeBounds = (schema: JsonSchema): string =>
  [...(typeof schema.format === 'string' ? [schema.format] : []), ...describeRanges(schema)].join(', ')

function describeObject(schema: JsonSchema, indent: string): string {
  const properties = Object.entries(asSchema(schema.properties)).map(([name, property]) => {
    const mark = Array.isArray(schema.required) && schema.required.includes(name) ? '' : '?'
    const described = asSchema(property)
    const notes = [described.description, describeBounds(described)].filter(
      (note) => typeof note === 'string' && note !== ''
    )
    const comment = notes.length === 0 ? '' : `  // ${notes.join('; ')}`
    return `${indent}  ${name}${mark}: ${describeSchema(described, `${indent}  `)}${comment}\n`
  })
  if (properties.length > 0) return `{\n${properties.join('')}${indent}}`
  const values = schema.additionalProperties
  return values !== null && typeof values === 'object'
    ? `{ [name: string]: ${describeSchema(asSchema(values), indent)} }`
    : '{}'
}

function between(low: unknown, high: unknown, unit: string): string {
  if (low === undefined && high === undefined) return ''
  if (low === 1 && high === undefined && unit !== '') return 'not empty'
  const range =
    high === undefined ? `at least ${low}` : low === undefined || low === 0 ? `at most ${high}` : `${low} to ${high}`
  return unit === '' ? range : `${range} ${unit}`
}

/** Reads a part of a document as a schema. Anything but an object gives a schema without members. */
export const asSchema = (value: unknown): JsonSchema =>
  value !== null && typeof value === 'object' ? (value as JsonSchema) : {}

/** Stands for the name of a model in examples. Pages name one that is offered. */
export const exampleModel = 'MODEL'

/** JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  /** How a value with several parts is written. */
  style?: string
  explode?: boolean
  schema?: JsonSchema
}
/** A body of one media type. The example of a stream is its text. */
export interface MediaType {
  schema?: JsonSchema
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}
export type Content = Record<string, MediaType>

/** The example of a body that the document has itself; undefined for none. */
export const ownExample = ({ example, examples = {} }: MediaType): unknown =>
  example ?? Object.values(examples)[0]?.value
export interface Response {
  description: string
  headers?: Record<string, unknown>
  content?: Content
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  /** Alternatives; empty for an operation that needs no credential. */
  security: Array<Record<string, string[]>>
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  /** By status. */
  responses: Record<string, Response>
}

/** A message that the service sends to others. */
export type WebhookMessage = Pick<
  Operation,
  'summary' | 'description' | 'tags' | 'parameters' | 'requestBody' | 'responses'
>

/** The parts of an OpenAPI 3.1 document that our documents use. */
export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; description: string }
  servers?: Array<{ url: string; description?: string }>
  tags: Array<{ name: string; description: string }>
  paths: Record<string, Record<string, Operation>>
  /** Messages that the service sends, by name. */
  webhooks?: Record<string, { post: WebhookMessage }>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, unknown> }
}

/** Lists the operations of a document, in their order. */
export function operationsOf(document: OpenApiDocument): Array<{ method: string; path: string; operation: Operation }> {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )
}
