import { readFileSync } from 'node:fs'
import { ConfigError } from '@tollgate/service/config/load-config.ts'
import { readYaml } from '@tollgate/service/config/read-yaml.ts'
import { type Static, type TProperties, Type } from 'typebox'
import { Breaker, type BreakerState } from './breaker.ts'
import { Http1Pool } from './http1/http1-pool.ts'
import { RetryBudget } from './retry-budget.ts'
import { UndiciPool } from './undici-pool.ts'
import type { UpstreamPool } from './upstream-pool.ts'

const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })
const Milliseconds = Type.Integer({ minimum: 1 })
const Variable = Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' })
const MemberName = Type.String({ minLength: 1, maxLength: 100 })
/** RFC 9110, 5.1 and 5.5, without line breaks. */
const HeaderName = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
const HeaderValue = Type.String({ pattern: '^[\\t\\x20-\\x7e]*$' })
/** The gateway sets these itself. */
const ownHeaders = /^(authorization|connection|content-length|content-type|host|transfer-encoding|x-request-id)$/i

/** `upstreams.yaml`; the shipped file describes each member. */
export const UpstreamsFile = closed({
  upstreams: Type.Record(
    Type.String({ pattern: '^[a-z][a-z0-9_-]{0,39}$' }),
    closed({
      base_url: Type.String({ pattern: '^https?://' }),
      base_url_variable: Type.Optional(Variable),
      credential_variable: Type.Optional(Variable),
      credential_header: Type.Optional(Type.String({ pattern: HeaderName })),
      headers: Type.Optional(Type.Record(Type.String({ pattern: HeaderName }), HeaderValue)),
      abort_stops_billing: Type.Optional(Type.Boolean()),
      members: Type.Optional(Type.Union([Type.Literal('openai'), Type.Array(MemberName)])),
      unknown: Type.Optional(Type.Literal('pass')),
      http2: Type.Optional(Type.Boolean()),
      client: Type.Optional(Type.Literal('undici')),
      ca_file: Type.Optional(Type.String({ minLength: 1 })),
      timeouts_ms: Type.Optional(
        closed({
          connect: Type.Optional(Milliseconds),
          first_byte: Type.Optional(Milliseconds),
          between_chunks: Type.Optional(Milliseconds)
        })
      )
    })
  )
})
/**
 * Hosts of providers that bill the whole answer after the gateway aborts a stream: Google, Groq, Mistral, Bedrock (OpenRouter's page
 * on streaming, 2026).
 */
const billsAborted = /(^|\.)(googleapis\.com|groq\.com|mistral\.ai|amazonaws\.com)$/i

export type UpstreamsFile = Static<typeof UpstreamsFile>
type Entry = UpstreamsFile['upstreams'][string]

/** A model provider. */
export interface Upstream {
  readonly name: string
  /** Contains the address and the credential. Never log it. */
  readonly pool: UpstreamPool
  /** null for a provider without one. Never log it. */
  readonly credential: string | null
  readonly http2: boolean
  /** How to ask for the list of models. Never log the URL and the headers. */
  readonly models: ModelsCall
  /** Whether the provider stops billing when a stream is aborted. */
  readonly abortStopsBilling: boolean
  /** Request members that it accepts besides those of the OpenAI reference; null if it accepts all. */
  readonly furtherMembers: ReadonlySet<string> | null
  readonly breaker: Breaker
  readonly retries: RetryBudget
  /** When its models accept calls again, by the upstream's model names. Monotonic clock, milliseconds. */
  readonly restingUntil: Map<string, number>
}

/** A `GET` of the list of models, with the credential. */
export interface ModelsCall {
  readonly url: URL
  /** Names and values, alternating. */
  readonly headers: string[]
  /** Trusted certificates (PEM), instead of those of Node.js. */
  readonly ca: string | undefined
  /** The variable with the credential; null for a provider without one. */
  readonly variable: string | null
}

export type Upstreams = ReadonlyMap<string, Upstream>

/**
 * Reads the upstreams file and opens a connection pool for each upstream.
 *
 * @param env the variables that the file names
 * @param onBreaker called when the breaker of an upstream changes its state
 * @throws FileError or ConfigError naming the problems, such as a missing credential
 */
export function openUpstreams(
  file: string,
  env: Record<string, string | undefined>,
  onBreaker: (upstream: string, state: BreakerState) => void = () => {}
): Upstreams {
  const entries = Object.entries(readYaml(file, UpstreamsFile).upstreams)
  const problems: string[] = []
  const upstreams = new Map<string, Upstream>()
  for (const [name, entry] of entries) {
    const upstream = openUpstream(name, entry, env, problems, (state) => onBreaker(name, state))
    if (upstream !== null) upstreams.set(name, upstream)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return upstreams
}

function openUpstream(
  name: string,
  entry: Entry,
  env: Record<string, string | undefined>,
  problems: string[],
  onBreaker: (state: BreakerState) => void
): Upstream | null {
  const before = problems.length
  const url = readBaseUrl(name, entry, env, problems)
  const credential = entry.credential_variable === undefined ? null : (env[entry.credential_variable] ?? '')
  if (credential === '') problems.push(`${entry.credential_variable}: missing (credential of upstream ${name})`)
  else if (credential !== null && !/^[\x21-\x7e]+$/.test(credential)) {
    problems.push(
      `${entry.credential_variable}: has characters that a header cannot have (credential of upstream ${name})`
    )
  }
  for (const header of Object.keys(entry.headers ?? {})) {
    if (ownHeaders.test(header)) problems.push(`upstreams.${name}.headers.${header}: the gateway sets it itself`)
  }
  if (entry.members !== undefined && entry.unknown === 'pass') {
    problems.push(`upstreams.${name}.members: has no effect beside "unknown: pass". Remove one of them`)
  }
  if (entry.client !== undefined && entry.http2 === true) {
    problems.push(`upstreams.${name}.client: has no effect beside "http2: true". Remove one of them`)
  }
  const ca = entry.ca_file === undefined ? undefined : readCertificate(name, entry.ca_file, problems)
  if (url === null || problems.length > before) return null
  const { connect = 5000, first_byte = 600_000, between_chunks = 120_000 } = entry.timeouts_ms ?? {}
  const options = {
    url,
    headers: headersOf(entry, credential),
    timeouts: { connect, firstByte: first_byte, betweenChunks: between_chunks },
    ca
  }
  const http2 = entry.http2 ?? false
  return {
    name,
    credential,
    http2,
    models: {
      url: modelsUrl(url),
      headers: options.headers.slice(2),
      ca,
      variable: entry.credential_variable ?? null
    },
    abortStopsBilling: entry.abort_stops_billing ?? !billsAborted.test(url.hostname),
    furtherMembers: entry.unknown === 'pass' ? null : new Set(entry.members === 'openai' ? [] : entry.members),
    breaker: new Breaker(onBreaker),
    retries: new RetryBudget(),
    restingUntil: new Map(),
    pool: http2 || entry.client === 'undici' ? new UndiciPool(options, http2) : new Http1Pool(options)
  }
}

function modelsUrl(base: URL): URL {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/[/]+$/, '')}/models`
  return url
}

/** Problems never contain the URL, because its query may contain a key. */
function readBaseUrl(
  name: string,
  { base_url, base_url_variable }: Entry,
  env: Record<string, string | undefined>,
  problems: string[]
): URL | null {
  const override = base_url_variable === undefined ? undefined : env[base_url_variable]
  const url = URL.parse(override || base_url)
  const add = (problem: string) =>
    problems.push(
      `${override ? base_url_variable : `upstreams.${name}.base_url`}: ${problem} (base URL of upstream ${name})`
    )
  if (url === null || !/^https?:$/.test(url.protocol)) {
    add('not an http(s) URL')
    return null
  }
  if (url.href.includes('#')) add('must not have a fragment (#)')
  if (url.username !== '' || url.password !== '') add('must not have a user or password: use credential_variable')
  return url
}

function headersOf({ credential_header, headers }: Entry, credential: string | null): string[] {
  const all = ['content-type', 'application/json']
  if (credential !== null) {
    if (credential_header === undefined) all.push('authorization', `Bearer ${credential}`)
    else all.push(credential_header.toLowerCase(), credential)
  }
  for (const [name, value] of Object.entries(headers ?? {})) all.push(name.toLowerCase(), value)
  return all
}

function readCertificate(name: string, file: string, problems: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    problems.push(`upstreams.${name}.ca_file: cannot be read (${(error as NodeJS.ErrnoException).code})`)
    return undefined
  }
}
