import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import * as cursor from '../http/cursor.ts'
import type { RequestPlace } from './read-requests.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const writeRequestCursor = ({ at, id }: RequestPlace): string => cursor.writeCursor(new Date(at), id)

/** @throws ServiceError `invalid_request` for a text that {@link writeRequestCursor} did not write */
export function readRequestCursor(text: string): RequestPlace {
  const place = cursor.readCursor(text, (id) => uuid.test(id))
  if (place === null) {
    throw new ServiceError('invalid_request', {
      message: 'cursor: not valid for this list. Use next_cursor of the previous page.'
    })
  }
  return { at: place.at.getTime(), id: place.id }
}
