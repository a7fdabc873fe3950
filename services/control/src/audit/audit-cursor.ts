import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import * as cursor from '../http/cursor.ts'

/** A place in the log, newest first. The next page starts after this row. */
export interface AuditPlace {
  readonly at: Date
  readonly id: number
}

export const writeCursor = ({ at, id }: AuditPlace): string => cursor.writeCursor(at, id)

/** @returns null if {@link writeCursor} did not write it */
export function readCursor(text: string): AuditPlace | null {
  const place = cursor.readCursor(text, isRowId)
  return place === null ? null : { at: place.at, id: Number(place.id) }
}

const defaultLimit = 50

/**
 * Reads which page of a log a query asks for.
 *
 * @throws ServiceError `invalid_request` for a cursor that {@link writeCursor} did not write
 */
export function readPage(query: { limit?: string; cursor?: string }): { before: AuditPlace | null; limit: number } {
  const before = query.cursor === undefined ? null : readCursor(query.cursor)
  if (query.cursor !== undefined && before === null) {
    throw new ServiceError('invalid_request', {
      message: 'cursor: not valid for this list. Use next_cursor of the previous page.'
    })
  }
  return { before, limit: query.limit === undefined ? defaultLimit : Number(query.limit) }
}

const isRowId = (text: string): boolean => /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))
