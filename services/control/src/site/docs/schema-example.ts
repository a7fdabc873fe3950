import { asSchema, type JsonSchema } from '@tollgate/contracts/openapi/document.ts'
import { alternativesOf, type NamedSchemas, resolve } from './schema-view.ts'

/** Stands for the name of a model, so that the page can name one that is offered. */
export const exampleModel = 'MODEL'

/** Values that say more than their type. */
const valuesByName: Readonly<Record<string, unknown>> = {
  model: exampleModel,
  content: 'Hello!',
  input: 'Hello!',
  prompt: 'Hello!',
  label: 'My app',
  name: 'Ada',
  email: 'ada@example.com',
  amount_usd: '5.00',
  limit_usd: '20.00',
  url: 'https://example.com/hook'
}

/** The least that a value of this schema has: required members only, the first alternative, one item. */
export function exampleOf(schema: JsonSchema, named: NamedSchemas, name = ''): unknown {
  const own = resolve(schema, named)
  if ('const' in own) return own.const
  if (Array.isArray(own.enum)) return own.enum.includes('user') ? 'user' : own.enum[0]
  if (Array.isArray(own.examples)) return own.examples[0]
  if (name === 'messages' && own.type === 'array') return [{ role: 'user', content: valuesByName.content }]
  const known = valuesByName[name]
  const alternatives = alternativesOf(own)
  const takesText = own.type === 'string' || alternatives.some((one) => resolve(one, named).type === 'string')
  if (known !== undefined && takesText) return known
  const first = alternatives.find((one) => resolve(one, named).type !== 'null')
  if (first !== undefined) return exampleOf(first, named, name)
  if (own.type === 'array') return [exampleOf(asSchema(own.items), named, name)]
  if (own.type === 'integer' || own.type === 'number')
    return typeof own.minimum === 'number' ? Math.max(1, own.minimum) : 1
  if (own.type === 'boolean') return true
  if (own.type === 'string') return own.format === 'date-time' ? '2027-01-01T00:00:00Z' : `<${name}>`
  const required = new Set(Array.isArray(own.required) ? (own.required as string[]) : [])
  return Object.fromEntries(
    Object.entries(asSchema(own.properties))
      .filter(([member]) => required.has(member))
      .map(([member, value]) => [member, exampleOf(asSchema(value), named, member)])
  )
}
