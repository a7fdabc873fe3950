import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { lastInstant } from './cursor.ts'

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
