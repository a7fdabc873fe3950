import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { NoRoom } from './body-memory.ts'

/** Tells a client that the memory of bodies has no room. */
export function noRoomError(noRoom: NoRoom): ServiceError {
  return noRoom === 'process'
    ? new ServiceError('gateway_busy')
    : new ServiceError('concurrent_request_bytes', { retryAfter: 1 })
}
