import { type ErrorCode, errorTable } from '../errors/table.ts'
import type { JsonSchema, Response } from './document.ts'

type Headers = NonNullable<Response['headers']>

const retryAfter: Headers = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } }
}

/** Name of the schema to which {@link errorResponses} refers. */
export const errorSchemaName = 'Error'

/** Describes the body of errors with these codes. */
export type ErrorSchema = (codes: readonly ErrorCode[]) => JsonSchema

/**
 * Describes the errors of an operation, by status, with their codes and messages.
 *
 * @param headers of each error, besides `Retry-After`
 * @param schema of the bodies; that of most operations if absent
 */
export function errorResponses(
  codes: Iterable<ErrorCode>,
  headers: Headers = {},
  schema: ErrorSchema = errorSchema
): Record<string, Response> {
  const byStatus = Map.groupBy([...new Set(codes)].sort(), (code) => errorTable[code][0])
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, some]) => [String(status), errorResponse(status, some, headers, schema)])
  )
}

function errorResponse(status: number, codes: ErrorCode[], further: Headers, schema: ErrorSchema): Response {
  const headers = status === 402 || status === 429 || status === 503 ? { ...retryAfter, ...further } : further
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code][2]}`).join('\n\n'),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { 'application/json': { schema: schema(codes) } }
  }
}

/** The body of most errors. */
export function errorSchema(codes: readonly ErrorCode[]): JsonSchema {
  const types = [...new Set(codes.map((code) => errorTable[code][1]))]
  return {
    allOf: [
      { $ref: `#/components/schemas/${errorSchemaName}` },
      { properties: { error: { properties: { code: { enum: codes }, type: { enum: types } } } } }
    ]
  }
}
