import { type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { type Failure, failureOf } from './failure.ts'

/** An answer of a server. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown
  /** How far the server's clock is ahead of this machine's, ms; null without a `Date` header. */
  readonly skewMs: number | null
}

export type Outcome = { readonly answer: Answer } | { readonly failure: Failure }

export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Certificate authorities, PEM; those of Node.js unless given. */
  readonly ca?: string | undefined
  readonly timeoutMs: number
}

/** More than any answer that a check reads. */
const maxBytes = 8 * 1024 * 1024

/** Sends a GET request. Does not follow redirects, and never rejects. */
export const get = (url: URL, options: GetOptions): Promise<Outcome> => request('GET', url, options)

/** Like {@link get}, but a POST request without a body. */
export const postEmpty = (url: URL, options: GetOptions): Promise<Outcome> => request('POST', url, options)

async function request(
  method: 'GET' | 'POST',
  url: URL,
  { headers = {}, ca, timeoutMs }: GetOptions
): Promise<Outcome> {
  const signal = AbortSignal.timeout(timeoutMs)
  const options = { method, headers, signal, agent: false, ...(ca !== undefined && { ca }) }
  const before = Date.now()
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ failure: failureOf(error) })
    const send = url.protocol === 'https:' ? requestSecure : requestPlain
    const sent = send(url, options, (response) => {
      const skewMs = skewOf(response.headers.date, before, Date.now())
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) sent.destroy(Object.assign(new Error('too long'), { code: 'an answer of over 8 MiB' }))
        chunks.push(chunk)
      })
      response.on('error', fail)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({
          answer: { status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text), skewMs }
        })
      })
    })
    sent.on('error', fail)
    sent.end()
  })
}

/** `Date` has whole seconds, so half a second is added. */
export function skewOf(date: string | null | undefined, beforeMs: number, afterMs: number): number | null {
  const time = Date.parse(date ?? '')
  return Number.isNaN(time) ? null : time + 500 - (beforeMs + afterMs) / 2
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
