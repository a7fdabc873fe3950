import type { ApiName } from '@tollgate/contracts/catalog/apis.ts'
import { Breaker, type BreakerState } from './breaker.ts'
import { type CounterName, withPath } from './counters.ts'
import { Http1Pool } from './http1/http1-pool.ts'
import { Http2Pool } from './http2-pool.ts'
import { Pauses } from './pauses.ts'
import { RetryBudget } from './retry-budget.ts'
import type { UpstreamPool } from './upstream-pool.ts'
import { modelsHeaders, readUpstreamsFile, type UpstreamSettings } from './upstreams-file.ts'

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
  /** The APIs that it offers. */
  readonly speaks: ReadonlySet<ApiName>
  /** Whether its account can choose a dearer service tier for a request that names none. */
  readonly choosesTier: boolean
  /** Whether it accepts `stream_options.include_usage`. Others report the usage of every stream. */
  readonly acceptsIncludeUsage: boolean
  /**
   * Whether its streams of chat report the usage of each event alone, so that the sum counts. Else the largest report
   * counts.
   */
  readonly reportsUsageByEvent: boolean
  /** How it counts prompts for nothing; null if it does not. */
  readonly counter: CounterName | null
  /** The base URL of its API. Its query may have a key: never log it. */
  readonly baseUrl: URL
  /** Request members that it accepts besides those of the OpenAI reference; null if it accepts all. */
  readonly furtherMembers: ReadonlySet<string> | null
  /** Betas of Anthropic's API that it accepts besides the standard ones. */
  readonly betas: ReadonlySet<string>
  readonly breaker: Breaker
  readonly retries: RetryBudget
  readonly pauses: Pauses
}

/** A `GET` of the list of models, with the credential. */
export interface ModelsCall {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Trusted certificates (PEM), instead of those of Node.js. */
  readonly ca: string | undefined
  /** The variable or the member of the file that gives the credential; null for a provider without one. */
  readonly credentialName: string | null
}

export type Upstreams = ReadonlyMap<string, Upstream>

/** What calls show of upstreams. */
export interface UpstreamEvents {
  /** Called when the breaker of an upstream changes its state. */
  onBreaker(upstream: string, state: BreakerState): void
  /** Called when a pause of an upstream's model begins. */
  onPause(upstream: string, model: string, ms: number): void
}

/** What a process learned of an upstream. The other workers of its gateway take it over. */
export type Learned =
  | { readonly kind: 'breaker'; readonly upstream: string; readonly state: 'open' | 'closed' }
  | { readonly kind: 'pause'; readonly upstream: string; readonly model: string; readonly ms: number }

export const noEvents: UpstreamEvents = { onBreaker() {}, onPause() {} }

/**
 * Reads the upstreams file and opens a connection pool for each upstream.
 *
 * @param env the variables that the file names
 * @throws FileError or ConfigError naming the problems, such as a missing credential
 */
export function openUpstreams(file: string, env: Record<string, string | undefined>): Upstreams {
  const { settings } = readUpstreamsFile(file, env)
  return new Map(settings.map((one) => [one.name, openUpstream(one)]))
}

/** Opens a pool. It connects with its first call. */
export function openUpstream(settings: UpstreamSettings, events: UpstreamEvents = noEvents): Upstream {
  const { name, url, headers, timeouts, idleMs, ca, http2, furtherMembers } = settings
  const options = { url, headers: { 'content-type': 'application/json', ...headers }, timeouts, idleMs, ca }
  return {
    name,
    credential: settings.credential,
    http2,
    models: {
      url: withPath(url, (path) => `${path}/models`),
      headers: modelsHeaders(settings),
      ca,
      credentialName: settings.credentialName
    },
    abortStopsBilling: settings.abortStopsBilling,
    speaks: new Set(settings.speaks),
    choosesTier: settings.choosesTier,
    acceptsIncludeUsage: settings.acceptsIncludeUsage,
    reportsUsageByEvent: settings.reportsUsageByEvent,
    counter: settings.counter,
    baseUrl: url,
    furtherMembers: furtherMembers === null ? null : new Set(furtherMembers),
    betas: new Set(settings.betas),
    breaker: new Breaker((state) => events.onBreaker(name, state)),
    retries: new RetryBudget(),
    pauses: new Pauses((model, ms) => events.onPause(name, model, ms)),
    pool: http2 ? new Http2Pool(options) : new Http1Pool(options)
  }
}
