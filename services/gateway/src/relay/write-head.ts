import { formatNanos } from '@tollgate/contracts/money/usd.ts'
import type { RelayRequest } from './relay-request.ts'

/**
 * The headers of the client's response: names and values, alternating. The client gets none of the upstream's headers.
 *
 * @param length of the body in bytes, -1 if unknown
 * @param cost nanodollars, for the client; null for none
 * @param further headers of an error; null for none
 */
export function headFields(
  { requestId, format, fields, isDraining }: RelayRequest,
  contentType: string,
  length: number,
  cost: number | null,
  further: Readonly<Record<string, string>> | null
): string[] {
  const all = ['content-type', contentType, 'x-content-type-options', 'nosniff']
  for (const name of format.errors.requestIdHeaders) all.push(name, requestId)
  all.push(...fields)
  if (further !== null) for (const [name, value] of Object.entries(further)) all.push(name, value)
  if (cost !== null) all.push('x-tollgate-cost', formatNanos(cost))
  if (length >= 0) all.push('content-length', String(length))
  if (isDraining()) all.push('connection', 'close')
  return all
}

/**
 * Answers with an error and ends the response.
 *
 * @param json the body
 * @param cost nanodollars, for the client; null for none
 */
export function writeError(
  request: RelayRequest,
  status: number,
  json: string,
  cost: number | null,
  headers: Readonly<Record<string, string>>
): void {
  const body = Buffer.from(json)
  request.response
    .writeHead(status, headFields(request, 'application/json; charset=utf-8', body.length, cost, headers))
    .end(body)
}

/**
 * The last line of a stream whose client asked for its cost: a comment, which clients of event streams skip (WHATWG
 * HTML, 9.2.6).
 */
export const costComment = (nanos: number): string => `: x-tollgate-cost ${formatNanos(nanos)}\n\n`
