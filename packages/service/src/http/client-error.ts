import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/**
 * The failure for bytes that are not HTTP, and for requests that arrive too slowly or whose heads are too large: Node's event
 * `clientError`.
 *
 * @returns null if the connection cannot get an answer. It must be closed then: the client would read the answer as that of an
 *   earlier request, or as a part of it
 */
export function failureOfClientError(error: NodeJS.ErrnoException, socket: Socket): ServiceError | null {
  const answer = (socket as { _httpMessage?: ServerResponse | null })._httpMessage
  const isAnswering = answer != null && (answer.headersSent || answer.req.complete)
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return null
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('request_too_large', {
        message: 'The headers of the request are too large. Send fewer or shorter headers.'
      })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', {
        message: 'The request did not arrive in time. Send it faster, or in smaller parts.'
      })
    default:
      return new ServiceError('invalid_request', {
        message: 'The request is not valid HTTP. Send it with an HTTP client library.'
      })
  }
}
