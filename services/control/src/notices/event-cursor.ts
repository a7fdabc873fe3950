import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import * as cursor from '../http/cursor.ts'

/** A place among events, newest first. The next page starts after this event. */
export interface EventPlace {
  readonly at: Date
  readonly id: string
}

const defaultLimit = 50
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const writeCursor = ({ at, id }: EventPlace): string => cursor.writeCursor(at, id)

/** @throws ServiceError `invalid_request` for a cursor that {@link writeCursor} did not write */
export function readPage(query: { limit?: string; cursor?: string }): { before: EventPlace | null; limit: number } {
  const before = query.cursor === undefined ? null : cursor.readCursor(query.cursor, (id) => uuid.test(id))
  if (query.cursor !== undefined && before === null) {
    throw new ServiceError('invalid_request', {
      message: 'cursor: not valid for this list. Use next_cursor of the previous page.'
    })
  }
  return { before, limit: query.limit === undefined ? defaultLimit : Number(query.limit) }
}
