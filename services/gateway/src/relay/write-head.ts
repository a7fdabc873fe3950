import { formatNanos } from '@tollgate/contracts/money/usd.ts'
import type { RelayRequest } from './relay-request.ts'

/**
 * The headers of the client's response: names and values, alternating. The client gets none of the upstream's headers.
 *
 * @param further additional headers
 * @param length of the body in bytes, -1 if unknown
 */
export function headFields(
  { requestId, format, fields, isDraining }: RelayRequest,
  contentType: string,
  further: readonly string[],
  length: number
): string[] {
  const all = ['content-type', contentType, 'x-content-type-options', 'nosniff']
  for (const name of format.errors.requestIdHeaders) all.push(name, requestId)
  all.push(...fields, ...further)
  if (length >= 0) all.push('content-length', String(length))
  if (isDraining()) all.push('connection', 'close')
  return all
}

/** Answers with a JSON body and ends the response. */
export function writeJson(request: RelayRequest, status: number, json: string, further: readonly string[]): void {
  const body = Buffer.from(json)
  request.response
    .writeHead(status, headFields(request, 'application/json; charset=utf-8', further, body.length))
    .end(body)
}

/** The header with the cost of a request: its name and value. */
export const costFields = (nanos: number): readonly string[] => ['x-tollgate-cost', formatNanos(nanos)]

/** The header of an answer that costs nothing. */
export const freeFields: readonly string[] = costFields(0)

/**
 * The last line of a stream whose client asked for its cost: a comment, which clients of event streams skip (WHATWG
 * HTML, 9.2.6).
 */
export const costComment = (nanos: number): string => `: x-tollgate-cost ${formatNanos(nanos)}\n\n`
