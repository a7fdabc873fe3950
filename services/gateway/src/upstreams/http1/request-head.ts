import type { TraceHeaders } from '@tollgate/service/tracing/tracing.ts'
import { queryOf, type UpstreamCall } from '../upstream-pool.ts'

/** The common parts of all requests to an upstream. */
export interface RequestFields {
  /** Value of the `host` field. */
  readonly host: string
  /** Precedes the endpoint's path, such as `/v1`. */
  readonly pathPrefix: string
  /** Follows the endpoint's path, such as `?api-version=2024-10-21`; may be empty. May contain a key: never log it. */
  readonly query: string
  /** Contain the credential. */
  readonly headers: Readonly<Record<string, string>>
}

/** Characters that a path or field may have. Line breaks are not allowed. */
const safe = /^[\t\x20-\x7e]*$/

/** Builds the request heads for one upstream. The common part of an endpoint's heads is built once. */
export class RequestHeads {
  readonly #fields: RequestFields
  readonly #beginnings = new Map<string, string>()

  constructor(fields: RequestFields) {
    this.#fields = fields
  }

  /** Builds a head. @throws Error if a field or the path has a forbidden character */
  of(call: UpstreamCall): string {
    const { path, other, requestId, trace, fields, body } = call
    const beginning = other === undefined ? (this.#beginnings.get(path) ?? this.#prepare(path)) : this.#begin(call)
    const traced = trace === null ? '' : traceLines(trace)
    const further = fields.length === 0 ? '' : linesOf(fields)
    return `${beginning}${requestId}\r\n${traced}${further}content-length: ${body.length}\r\n\r\n`
  }

  #prepare(path: string): string {
    const beginning = this.#begin({ path })
    this.#beginnings.set(path, beginning)
    return beginning
  }

  #begin(call: Pick<UpstreamCall, 'path' | 'other'>): string {
    const { host, pathPrefix, query, headers } = this.#fields
    const target = `${pathPrefix}${call.path}${queryOf(call, query)}`
    const lines = [`${call.other?.method ?? 'POST'} ${target} HTTP/1.1`, `host: ${host}`, 'connection: keep-alive']
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
    // The message does not contain the field, because it may be the credential.
    if (!lines.every((line) => safe.test(line))) throw new Error('a field of the request could end its line')
    return `${lines.join('\r\n')}\r\nx-request-id: `
  }
}

function linesOf(fields: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < fields.length; at += 2) lines += `${fields[at]}: ${fields[at + 1]}\r\n`
  return lines
}

function traceLines({ traceparent, tracestate }: TraceHeaders): string {
  return `traceparent: ${traceparent}\r\n${tracestate === '' ? '' : `tracestate: ${tracestate}\r\n`}`
}
