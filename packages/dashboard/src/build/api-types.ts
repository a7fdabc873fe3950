import {
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  operationsOf
} from '@tollgate/contracts/openapi/document.ts'

const head = `/**
 * Generated from control's OpenAPI document by build/write-api-types.ts; a test compares them. Do not edit.
 */

`

/**
 * Writes a TypeScript module with the types of the `/api/` operations of a document, except those of operators: api/admin.ts
 * has them, so that customers do not load them. `paths` has the method and path of
 * each operation, `Operations` its input and its successful response.
 */
export function writeApiTypes(document: OpenApiDocument): string {
  const operations = operationsOf(document).filter(
    ({ path }) => path.startsWith('/api/') && !path.startsWith('/api/admin')
  )
  const paths = operations.map(
    ({ method, path, operation }) => `  ${operation.operationId}: ['${method}', '${path}'],\n`
  )
  const types = operations.map(({ operation }) => describeOperation(operation))
  return [
    head,
    `export const paths = {\n${paths.join('').replace(/,\n$/, '\n')}} as const\n\n`,
    `export interface Operations {\n${types.join('')}}\n`
  ].join('')
}

function describeOperation({ operationId, parameters = [], requestBody, responses }: Operation): string {
  const named = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(
        ({ name, required = false, schema = {} }) =>
          `      ${name}${required ? '' : '?'}: ${describeSchema(schema, '      ')}\n`
      )
      .join('')
  const [, success] = Object.entries(responses).find(([status]) => /^2/.test(status)) ?? []
  const answer = success?.content?.['application/json']?.schema
  const body = requestBody?.content['application/json']?.schema
  const parts = [
    ['params', named('path')],
    ['query?', named('query')]
  ].map(([name, members]) => (members === '' ? '' : `    ${name}: {\n${members}    }\n`))
  return [
    `  ${operationId}: {\n`,
    ...parts,
    body === undefined ? '' : `    body${requestBody?.required === true ? '' : '?'}: ${describeSchema(body, '    ')}\n`,
    `    answer: ${answer === undefined ? 'null' : describeSchema(answer, '    ')}\n`,
    '  }\n'
  ].join('')
}

function describeSchema(schema: JsonSchema, indent: string): string {
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ')
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
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function describeObject(schema: JsonSchema, indent: string): string {
  const required = Array.isArray(schema.required) ? schema.required : []
  const members = Object.entries(asSchema(schema.properties)).map(
    ([name, property]) =>
      `${indent}  ${name}${required.includes(name) ? '' : '?'}: ${describeSchema(asSchema(property), `${indent}  `)}\n`
  )
  if (members.length > 0) return `{\n${members.join('')}${indent}}`
  const [values] = [...Object.values(asSchema(schema.patternProperties)), schema.additionalProperties]
  return values !== null && typeof values === 'object'
    ? `Record<string, ${describeSchema(asSchema(values), indent)}>`
    : 'Record<string, never>'
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)

const asSchema = (value: unknown): JsonSchema =>
  value !== null && typeof value === 'object' ? (value as JsonSchema) : {}
