import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** Ids of clients and proxies: UUIDs, ULIDs, trace ids. Needs no escapes in JSON. */
const plainId = /^[\w.:/+=@-]{1,128}$/

/** The reason if two servers could read a request differently; else null. Node does not refuse these requests. */
export function ambiguityOf({ httpVersion, headers, rawHeaders }: IncomingMessage): string | null {
  if (httpVersion !== '1.1') {
    if (httpVersion !== '1.0') return 'The HTTP version of the request is not supported. Use HTTP/1.1.'
    // RFC 9112, 6.1: a server that ignores it in HTTP/1.0 takes the body for the next request.
    if (headers['transfer-encoding'] !== undefined) return 'HTTP/1.0 has no Transfer-Encoding. Use HTTP/1.1.'
  } else if (headers.host === undefined) return 'The request has no Host header. Add one.'
  const coding = headers['transfer-encoding']
  // RFC 9112, 6.1. Other codings would have to be decoded.
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    return 'The request has an unknown Transfer-Encoding. Send chunked, or a Content-Length.'
  }
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1 ? 'The request has more than one Host header. Keep one.' : null
}

/**
 * Reads a client's own `x-request-id`, for the log only. Answers have our id.
 *
 * @param header the header's value
 * @returns null if it is absent, too long, or has unusual characters
 */
export function readClientRequestId(header: unknown): string | null {
  return typeof header === 'string' && plainId.test(header) ? header : null
}

/**
 * The failure for bytes that are not HTTP, and for requests that arrive too slowly or whose heads are too large: Node's
 * event `clientError`.
 *
 * @returns null if the connection cannot get an answer. It must be closed then: the client would read the answer as
 *   that of an earlier request, or as a part of it
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
