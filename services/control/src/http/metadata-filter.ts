import { patterns } from '@tollgate/contracts/http/patterns.ts'
import type { Parameter } from '@tollgate/contracts/openapi/document.ts'

const prefix = 'metadata.'

/** `metadata.<name>=<value>` in a query, for the document. */
export const metadataFilter = (description: string): Parameter => ({
  name: 'metadata',
  in: 'query',
  description,
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    patternProperties: { [patterns.metadataFilter]: { type: 'string', maxLength: 500 } },
    additionalProperties: false
  }
})

/** The pairs that a query asks for, by name. Its other parameters are none. */
export function readMetadataFilter(query: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), String(value)] as const] : []
    )
  )
}
