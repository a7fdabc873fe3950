import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { type ApiName, apiNames } from '@tollgate/contracts/catalog/apis.ts'
import { maxTimerMs } from '@tollgate/service/config/common-settings.ts'
import { ConfigError } from '@tollgate/service/config/load-config.ts'
import { readYaml } from '@tollgate/service/config/read-yaml.ts'
import { type Static, type TProperties, Type } from 'typebox'
import { apisOfHost } from './apis.ts'
import { type CounterName, counterNames, counterOfHost } from './counters.ts'
import type { CallTimeouts } from './upstream-pool.ts'

const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })
const Milliseconds = Type.Integer({ minimum: 1, maximum: maxTimerMs })
const Variable = Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' })
const FileName = Type.String({ minLength: 1 })
const MemberName = Type.String({ minLength: 1, maxLength: 100 })
/** RFC 9110, 5.1 and 5.5, without line breaks. */
const HeaderName = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
const HeaderValue = Type.String({ pattern: '^[\\t\\x20-\\x7e]*$' })
/** The gateway sets these itself. */
const ownHeaders =
  /^(anthropic-beta|anthropic-version|authorization|connection|content-length|content-type|host|transfer-encoding|x-request-id)$/i

/** `upstreams.yaml`; the shipped file describes each member. */
export const UpstreamsFile = closed({
  upstreams: Type.Record(
    Type.String({ pattern: '^[a-z][a-z0-9_-]{0,39}$' }),
    closed({
      base_url: Type.String({ pattern: '^https?://' }),
      optional: Type.Optional(Type.Boolean()),
      base_url_variable: Type.Optional(Variable),
      credential_variable: Type.Optional(Variable),
      credential_file: Type.Optional(FileName),
      credential_header: Type.Optional(Type.String({ pattern: HeaderName })),
      headers: Type.Optional(Type.Record(Type.String({ pattern: HeaderName }), HeaderValue)),
      abort_stops_billing: Type.Optional(Type.Boolean()),
      speaks: Type.Optional(Type.Array(Type.Enum(apiNames), { minItems: 1, uniqueItems: true })),
      chooses_service_tier: Type.Optional(Type.Boolean()),
      accepts_include_usage: Type.Optional(Type.Boolean()),
      usage_by_event: Type.Optional(Type.Boolean()),
      counter: Type.Optional(Type.Enum([...counterNames, 'none'])),
      members: Type.Optional(Type.Union([Type.Literal('openai'), Type.Array(MemberName)])),
      betas: Type.Optional(Type.Array(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$' }))),
      unknown: Type.Optional(Type.Literal('pass')),
      http2: Type.Optional(Type.Boolean()),
      ca_file: Type.Optional(FileName),
      timeouts_ms: Type.Optional(
        closed({
          connect: Type.Optional(Milliseconds),
          first_byte: Type.Optional(Milliseconds),
          between_chunks: Type.Optional(Milliseconds),
          idle: Type.Optional(Milliseconds)
        })
      )
    })
  )
})
export type UpstreamsFile = Static<typeof UpstreamsFile>
type Entry = UpstreamsFile['upstreams'][string]

/**
 * Hosts of providers that bill the whole answer after the gateway aborts a stream: Google, Groq, Mistral, Bedrock
 * (OpenRouter's page on streaming, 2026).
 */
const billsAborted = /(^|\.)(googleapis\.com|groq\.com|mistral\.ai|amazonaws\.com)$/i

/**
 * Hosts of providers whose project setting can choose a dearer tier: OpenAI and Azure (OpenAI's guide to fast mode,
 * October 2026).
 */
const choosesTier = /(^|\.)(openai|azure)\.com$/i

/**
 * Mistral answers 422 to `stream_options.include_usage`, and reports the usage of every stream (openai-agents-python,
 * issue 442).
 */
const refusesIncludeUsage = /(^|\.)mistral\.ai$/i

/**
 * Hosts of the shipped providers, which keep idle connections for more than a minute and say nothing of it. So a
 * customer who calls every few seconds does not wait for a new connection each time.
 */
const keepsConnections =
  /(^|\.)(openai\.com|openai\.azure\.com|anthropic\.com|googleapis\.com|mistral\.ai|deepseek\.com|groq\.com|x\.ai|openrouter\.ai)$/i

/**
 * Everything that the file, its variables and its other files say of one upstream. Contains the credential: never log
 * it.
 */
export interface UpstreamSettings {
  readonly name: string
  readonly url: URL
  /** null for a provider without one. */
  readonly credential: string | null
  /** Where it comes from: a variable, or a member of the file. */
  readonly credentialName: string | null
  /** Headers of all its requests, with the credential. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeouts: CallTimeouts
  /** How long an idle connection is kept if the upstream names no time, ms; undefined for the pool's default. */
  readonly idleMs: number | undefined
  /** Trusted certificates (PEM), instead of those of Node.js. */
  readonly ca: string | undefined
  readonly http2: boolean
  readonly abortStopsBilling: boolean
  /** The APIs that it offers. */
  readonly speaks: readonly ApiName[]
  readonly choosesTier: boolean
  readonly acceptsIncludeUsage: boolean
  readonly reportsUsageByEvent: boolean
  readonly counter: CounterName | null
  /** Request members that it accepts besides those of the OpenAI reference; null if it accepts all. */
  readonly furtherMembers: readonly string[] | null
  /** Betas of Anthropic's API that it accepts besides the standard ones. */
  readonly betas: readonly string[]
}

/** Anthropic's API refuses calls without a version. Clients send their own with each request. */
const anthropicVersion = { 'anthropic-version': '2023-06-01' }

/** Headers of a `GET` of an upstream's models. */
export const modelsHeaders = ({
  headers,
  speaks
}: Pick<UpstreamSettings, 'headers' | 'speaks'>): Readonly<Record<string, string>> => ({
  ...headers,
  ...(speaks.includes('messages') && anthropicVersion)
})

/** Where an entry's parts are read from, and where its problems are collected. */
interface Reading {
  readonly name: string
  readonly entry: Entry
  readonly env: Record<string, string | undefined>
  readonly onFile: (file: string) => void
  readonly problems: string[]
}

/** The upstreams of a valid file. */
export interface ReadUpstreams {
  readonly settings: readonly UpstreamSettings[]
  /** The names of optional upstreams that are not set up. */
  readonly leftOut: readonly string[]
}

/**
 * Reads the upstreams file, and the files with credentials and certificates that it names.
 *
 * @param env the variables that the file names
 * @param onFile called with each further file before it is read
 * @throws FileError or ConfigError naming the problems, such as a missing credential
 */
export function readUpstreamsFile(
  file: string,
  env: Record<string, string | undefined>,
  onFile: (file: string) => void = () => {}
): ReadUpstreams {
  const { settings, leftOut, problems } = inspectUpstreamsFile(file, env, onFile)
  if (problems.length > 0) throw new ConfigError(problems)
  return { settings, leftOut }
}

export interface InspectedUpstreams extends ReadUpstreams {
  /** The names of all upstreams. */
  readonly names: readonly string[]
  readonly problems: readonly string[]
  /** Every variable that the file names. */
  readonly variables: readonly string[]
}

/** Like {@link readUpstreamsFile}, but returns the problems. @throws FileError for a file that is not valid */
export function inspectUpstreamsFile(
  file: string,
  env: Record<string, string | undefined>,
  onFile: (file: string) => void = () => {}
): InspectedUpstreams {
  const problems: string[] = []
  const entries = Object.entries(readYaml(file, UpstreamsFile).upstreams)
  const leftOut = entries.filter(([, entry]) => isLeftOut(entry, env, onFile)).map(([name]) => name)
  const settings = entries.flatMap(([name, entry]) => {
    if (leftOut.includes(name)) return []
    const before = problems.length
    const read = readEntry({ name, entry, env, onFile, problems })
    return read === null || problems.length > before ? [] : [read]
  })
  const variables = entries.flatMap(([, entry]) => variablesOf(entry))
  if (entries.length > 0 && leftOut.length === entries.length) {
    const places = entries.flatMap(
      ([, entry]) => entry.credential_variable ?? entry.credential_file ?? variablesOf(entry)
    )
    problems.push(`${file}: no upstream is set up. Give at least one of these a value: ${places.join(', ')}`)
  }
  return { settings, leftOut, names: entries.map(([name]) => name), problems, variables }
}

const variablesOf = ({ base_url_variable, credential_variable }: Entry): string[] =>
  [base_url_variable ?? [], credential_variable ?? []].flat()

/** Whether an upstream is optional, and nothing that it names exists. */
function isLeftOut(entry: Entry, env: Reading['env'], onFile: Reading['onFile']): boolean {
  if (entry.optional !== true || variablesOf(entry).some((variable) => env[variable])) return false
  const { credential_file: file } = entry
  if (file === undefined) return variablesOf(entry).length > 0
  // A file that appears later is noticed.
  onFile(file)
  return !existsSync(file)
}

function readEntry(reading: Reading): UpstreamSettings | null {
  const { name, entry, problems } = reading
  const url = readBaseUrl(reading)
  const credential = readCredential(reading)
  for (const header of Object.keys(entry.headers ?? {})) {
    if (ownHeaders.test(header)) problems.push(`upstreams.${name}.headers.${header}: the gateway sets it itself`)
  }
  if (entry.optional === true && entry.credential_file === undefined && variablesOf(entry).length === 0) {
    problems.push(
      `upstreams.${name}.optional: has no effect without credential_variable, credential_file or base_url_variable. Remove it`
    )
  }
  if (entry.members !== undefined && entry.unknown === 'pass') {
    problems.push(`upstreams.${name}.members: has no effect beside "unknown: pass". Remove one of them`)
  }
  if (entry.betas !== undefined && !(entry.speaks ?? apisOfHost(url?.hostname ?? '')).includes('messages')) {
    problems.push(`upstreams.${name}.betas: has no effect, because the upstream does not speak messages. Remove it`)
  }
  const ca = readCertificates(reading)
  if (url === null) return null
  const { connect = 5000, first_byte = 600_000, between_chunks = 120_000, idle } = entry.timeouts_ms ?? {}
  return {
    name,
    url,
    credential,
    credentialName: entry.credential_variable ?? (entry.credential_file && `upstreams.${name}.credential_file`) ?? null,
    headers: headersOf(entry, credential),
    timeouts: { connect, firstByte: first_byte, betweenChunks: between_chunks },
    idleMs: idle ?? (keepsConnections.test(url.hostname) ? 60_000 : undefined),
    ca,
    http2: entry.http2 ?? false,
    abortStopsBilling: entry.abort_stops_billing ?? !billsAborted.test(url.hostname),
    speaks: entry.speaks ?? apisOfHost(url.hostname),
    choosesTier: entry.chooses_service_tier ?? choosesTier.test(url.hostname),
    acceptsIncludeUsage: entry.accepts_include_usage ?? !refusesIncludeUsage.test(url.hostname),
    reportsUsageByEvent: entry.usage_by_event ?? false,
    counter: entry.counter === 'none' ? null : (entry.counter ?? counterOfHost(url.hostname)),
    furtherMembers: entry.unknown === 'pass' ? null : entry.members === 'openai' ? [] : (entry.members ?? []),
    betas: entry.betas ?? []
  }
}

/** Problems never contain the URL, because its query may contain a key. */
function readBaseUrl({ name, entry: { base_url, base_url_variable }, env, problems }: Reading): URL | null {
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
  if (url.username !== '' || url.password !== '') {
    add('must not have a user or password: use credential_variable or credential_file')
  }
  return url
}

/** @returns null for a provider without a credential, or after a problem */
function readCredential(reading: Reading): string | null {
  const { name, entry, env, problems } = reading
  const { credential_variable: variable, credential_file: file } = entry
  if (variable === undefined && file === undefined) return null
  if (variable !== undefined && file !== undefined) {
    problems.push(`upstreams.${name}.credential_file: excludes credential_variable. Remove one of them`)
    return null
  }
  const place = variable ?? `upstreams.${name}.credential_file`
  const text = file === undefined ? (env[variable!] ?? '') : readText(reading, 'credential_file', file)?.trim()
  if (text === undefined) return null
  if (/^[\x21-\x7e]+$/.test(text)) return text
  const problem =
    text !== '' ? 'has characters that a header cannot have' : variable === undefined ? 'the file is empty' : 'missing'
  problems.push(`${place}: ${problem} (credential of upstream ${name})`)
  return null
}

function readCertificates(reading: Reading): string | undefined {
  const { name, entry, problems } = reading
  if (entry.ca_file === undefined) return undefined
  const text = readText(reading, 'ca_file', entry.ca_file)
  if (text === undefined) return undefined
  try {
    new X509Certificate(text)
    return text
  } catch {
    // OpenSSL's own error would not help the operator.
    problems.push(`upstreams.${name}.ca_file: contains no certificate in PEM format`)
    return undefined
  }
}

function readText({ name, onFile, problems }: Reading, member: string, file: string): string | undefined {
  onFile(file)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    problems.push(`upstreams.${name}.${member}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
    return undefined
  }
}

function headersOf({ credential_header, headers = {} }: Entry, credential: string | null): Record<string, string> {
  const all: Record<string, string> = {}
  if (credential !== null) {
    if (credential_header === undefined) all.authorization = `Bearer ${credential}`
    else all[credential_header.toLowerCase()] = credential
  }
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value
  return all
}
