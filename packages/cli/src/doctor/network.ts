import { type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP } from 'node:net'

/** More than any answer that a check reads. */
const maxBytes = 8 * 1024 * 1024

/** Why a server gave no answer. */
export interface Failure {
  readonly kind: 'unknown_host' | 'refused' | 'timeout' | 'tls' | 'other'
  /** The code of Node.js or OpenSSL, such as ECONNREFUSED. */
  readonly code: string
}

const kinds: ReadonlyArray<readonly [pattern: RegExp, kind: Failure['kind']]> = [
  [/^(ENOTFOUND|EAI_AGAIN|EAI_NONAME)$/, 'unknown_host'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/, 'refused'],
  [
    /^(ETIMEDOUT|CONNECT_TIMEOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|ABORT_ERR|TimeoutError|AbortError)$/,
    'timeout'
  ],
  [/CERT|SELF_SIGNED|^ERR_TLS|^ERR_SSL|^EPROTO$|UNABLE_TO_VERIFY/, 'tls']
]

/** Reads why a connection failed, also from an error inside the error. */
export function failureOf(error: unknown): Failure {
  for (const one of causesOf(error)) {
    const { code, name } = one as { code?: unknown; name?: unknown }
    for (const text of [code, name]) {
      const match = typeof text === 'string' && kinds.find(([pattern]) => pattern.test(text))
      if (match) return { kind: match[1], code: text as string }
    }
  }
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return { kind: 'other', code: String(code ?? name ?? 'unknown error') }
}

/** An error and those inside it, outermost first. */
function causesOf(error: unknown): unknown[] {
  if (typeof error !== 'object' || error === null) return []
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  return [
    error,
    ...(Array.isArray(errors) ? errors.flatMap(causesOf) : []),
    ...(cause === error ? [] : causesOf(cause))
  ]
}

/** A sentence about a failure. @param server the subject, such as `Redis at cache:6379` */
export function describeFailure(server: string, { kind, code }: Failure): string {
  switch (kind) {
    case 'unknown_host':
      return `${server}: the host name is unknown (${code}).`
    case 'refused':
      return `${server} accepts no connection (${code}).`
    case 'timeout':
      return `${server} did not answer in time.`
    case 'tls':
      return `${server}: the TLS connection failed (${code}).`
    case 'other':
      return `${server}: the connection failed (${code}).`
  }
}

/** What to do about a failure. @param variable the setting with the address */
export function cureFailure(variable: string, { kind }: Failure): string {
  switch (kind) {
    case 'unknown_host':
      return `Correct the host name in ${variable}.`
    case 'refused':
      return `Start the server, or correct host and port in ${variable}.`
    case 'timeout':
      return `Open the firewall between this machine and the server, or correct the address in ${variable}.`
    case 'tls':
      return `Use a certificate that is valid for the host in ${variable}, or name its authority (NODE_EXTRA_CA_CERTS=ca.pem).`
    case 'other':
      return `Check ${variable}, and the log of the server.`
  }
}

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

/** Whether a host is this machine itself. @param host with or without brackets */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || /^127(\.\d+){3}$/.test(bare)
}

/** Whether a host is certainly not on the Internet: this machine, a private address, or a name without a dot. */
export function isPrivate(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (isLoopback(bare)) return true
  if (isIP(bare) === 4) return /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)/.test(bare)
  if (isIP(bare) === 6) return /^(f[cd]|fe80)/.test(bare)
  return !bare.includes('.') || /\.(local|internal|lan|home\.arpa)$/.test(bare)
}

/** Whether two URLs mean the same place; the names of this machine count as one. */
export function isSameUrl(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)]
  if (a === null || b === null) return false
  const sameHost = a.hostname === b.hostname || (isLoopback(a.hostname) && isLoopback(b.hostname))
  return (
    a.protocol === b.protocol && a.port === b.port && sameHost && a.pathname === b.pathname && a.search === b.search
  )
}

/** Rejects with a `TimeoutError` if a promise does not settle in time. The work itself goes on. */
export async function withTimeout<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  const timer = Promise.withResolvers<never>()
  const timeout = setTimeout(
    () => timer.reject(new DOMException(`no answer in ${timeoutMs} ms`, 'TimeoutError')),
    timeoutMs
  )
  try {
    return await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
