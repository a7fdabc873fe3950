import type { IncomingMessage } from 'node:http'

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
