import { type ErrorCode, errorTable } from '../errors/table.ts'
import type { JsonSchema, Response } from './document.ts'

/** The component that {@link errorResponses} refers to. */
export const errorSchemaName = 'Error'

/**
 * The failures of an operation, by status. A document that has them says of each which codes come with it, and what they
 * mean.
 */
export function errorResponses(codes: Iterable<ErrorCode>): Record<string, Response> {
  const byStatus = Map.groupBy([...new Set(codes)].sort(), (code) => errorTable[code][0])
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, some]) => [String(status), errorResponse(status, some)])
  )
}

function errorResponse(status: number, codes: ErrorCode[]): Response {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code][2]}`).join('\n\n'),
    ...((status === 429 || status === 503) && {
      headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } } }
    }),
    content: { 'application/json': { schema: errorSchema(codes) } }
  }
}

function errorSchema(codes: ErrorCode[]): JsonSchema {
  const types = [...new Set(codes.map((code) => errorTable[code][1]))]
  return {
    allOf: [
      { $ref: `#/components/schemas/${errorSchemaName}` },
      { properties: { error: { properties: { code: { enum: codes }, type: { enum: types } } } } }
    ]
  }
}
