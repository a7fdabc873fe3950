import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { patterns } from '@tollgate/contracts/http/patterns.ts'
import type { Parameter } from '@tollgate/contracts/openapi/document.ts'

/** Whether a text is an id of PostgreSQL's type `uuid`, as the API writes it. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** The last moment with a four-digit year: PostgreSQL cannot read how JavaScript writes later ones. */
export const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/** Writes a place in a list ordered by time and id. Callers treat it as opaque. */
export const writeCursor = (at: Date, id: string | number): string =>
  Buffer.from(`${at.getTime()}.${id}`).toString('base64url')

/**
 * @param isId whether a text can be an id of the list
 * @returns null if {@link writeCursor} did not write it
 */
export function readCursor(text: string, isId: (text: string) => boolean): { at: Date; id: string } | null {
  const [, time, id] = /^(\d{1,15})\.(.*)$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  if (time === undefined || id === undefined || !isId(id) || Number(time) > lastInstant) return null
  const at = new Date(Number(time))
  return writeCursor(at, id) === text ? { at, id } : null
}

/**
 * Reads a time of a query.
 *
 * @returns milliseconds since the epoch; null without a text
 * @throws ServiceError `invalid_request` for a time that no row has
 */
export function readInstant(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const time = Date.parse(text)
  if (time >= 0 && time <= lastInstant) return time
  throw new ServiceError('invalid_request', { message: `${name}: must be a time from 1970 to 9999` })
}

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
