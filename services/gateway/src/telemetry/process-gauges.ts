import { addBuildInfo } from '@tollgate/service/metrics/process-metrics.ts'
import { Gauge, type Registry } from 'prom-client'

/** Where the gauges read their values. They are read when the metrics are shown, and cost requests nothing. */
export interface GaugeSources {
  /** Settlements that Redis has not acknowledged. */
  settlementsWaiting(): number
  bodyBytes(): number
  bodyLimitBytes(): number
  requestsInFlight(): number
  openStreams(): number
  holds(): number
  keyCacheKeys(): number
  isRedisReady(): boolean
  isCatalogLoaded(): boolean
  /** The upstreams in force. */
  upstreams(): Iterable<{ readonly name: string; readonly breaker: { readonly state: keyof typeof breakerStates } }>
  /** What only the operator can repair at upstreams. */
  upstreamProblems(): ReadonlyArray<{ readonly upstream: string }>
}

const breakerStates = { closed: 0, 'half-open': 1, open: 2 } as const

/** The aggregator joins the values of several processes of one machine. */
type Aggregator = 'sum' | 'min' | 'max' | 'average' | 'first'

/** Adds the gauges of a gateway's state. */
export function addProcessGauges(registry: Registry, sources: GaugeSources): void {
  function gauge(name: string, help: string, read: () => number, aggregator: Aggregator = 'sum'): void {
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator,
      collect() {
        this.set(read())
      }
    })
  }
  gauge(
    'tollgate_requests_in_flight',
    'Requests to models, from their admission to their end',
    sources.requestsInFlight
  )
  gauge('tollgate_open_streams', 'Requests for a stream that have not ended', sources.openStreams)
  gauge(
    'tollgate_holds',
    'Requests of this process whose reserved cost Redis still holds, as far as it knows',
    sources.holds
  )
  gauge('tollgate_settlements_waiting', 'Settlements that Redis has not acknowledged yet', sources.settlementsWaiting)
  gauge(
    'tollgate_request_body_bytes',
    'Bytes that request bodies take; GATEWAY_BODY_MEMORY_MB limits them',
    sources.bodyBytes
  )
  gauge('tollgate_request_body_limit_bytes', 'Maximum of tollgate_request_body_bytes', sources.bodyLimitBytes)
  gauge('tollgate_key_cache_keys', 'Keys that the process remembers', sources.keyCacheKeys)
  gauge('tollgate_redis_up', '1 while Redis is connected, else 0', () => Number(sources.isRedisReady()), 'min')
  gauge(
    'tollgate_catalog_loaded',
    '1 once the gateway has a catalog from Redis; it refuses requests until then',
    () => Number(sources.isCatalogLoaded()),
    'min'
  )
  addUpstreamGauges(registry, sources)
  addBuildInfo(registry, 'gateway')
}

function addUpstreamGauges(registry: Registry, sources: GaugeSources): void {
  new Gauge({
    name: 'tollgate_upstream_breaker_state',
    help: 'Circuit breaker of an upstream: 0 closed, 1 half-open, 2 open',
    labelNames: ['upstream'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.reset()
      for (const { name, breaker } of sources.upstreams()) this.set({ upstream: name }, breakerStates[breaker.state])
    }
  })
  new Gauge({
    name: 'tollgate_upstream_problem',
    help: '1 while only the operator can repair calls of an upstream: credential, credit or model; else 0',
    labelNames: ['upstream'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.reset()
      for (const { name } of sources.upstreams()) this.set({ upstream: name }, 0)
      for (const { upstream } of sources.upstreamProblems()) this.set({ upstream }, 1)
    }
  })
}

/** @returns sets how far Redis' clock is ahead, ms; null removes the value */
export function addClockSkew(registry: Registry): (skewMs: number | null) => void {
  const gauge = new Gauge({
    name: 'tollgate_clock_skew_seconds',
    help: "Seconds that another clock is ahead of this gateway's; below 0 if it is behind",
    labelNames: ['clock'],
    registers: [registry],
    aggregator: 'average'
  })
  return (skewMs) => {
    if (skewMs === null) gauge.remove({ clock: 'redis' })
    else gauge.set({ clock: 'redis' }, skewMs / 1000)
  }
}
