import type { JsonSchema } from './document.ts'

/** Prints a schema for readers, like a TypeScript type. Bounds and descriptions are comments; named schemas appear as their name. */
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

/** Describes the bounds of a schema in words; empty if it has none. */
function describeBounds(schema: JsonSchema): string {
  const { format, minLength, maxLength, minimum, maximum, minItems, maxItems, minProperties, maxProperties } = schema
  const words = [
    typeof format === 'string' ? format : '',
    between(minLength, maxLength, 'characters'),
    between(minimum, maximum, ''),
    between(minItems, maxItems, 'items'),
    between(minProperties, maxProperties, 'members')
  ]
  return words.filter((part) => part !== '').join(', ')
}

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
  const range =
    high === undefined ? `at least ${low}` : low === undefined || low === 0 ? `at most ${high}` : `${low} to ${high}`
  return unit === '' ? range : `${range} ${unit}`
}

const asSchema = (value: unknown): JsonSchema =>
  value !== null && typeof value === 'object' ? (value as JsonSchema) : {}
