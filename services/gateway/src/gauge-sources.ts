import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { Authenticator } from './authenticate/authenticate.ts'
import type { BodyMemory } from './body/body-memory.ts'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import type { CallsInFlight } from './http/draining.ts'
import type { OpenCalls } from './request/request-resources.ts'
import type { Settlement } from './settlement/settlement.ts'
import type { SettlementQueue } from './settlement/settlement-queue.ts'
import type { GaugeSources } from './telemetry/process-gauges.ts'
import type { UpstreamHealth } from './upstream-health/upstream-health.ts'
import type { LiveUpstreams } from './upstreams/live-upstreams.ts'

/** The parts whose state the metrics show. */
export interface ShownState {
  readonly redis: RedisLink
  readonly catalog: LiveCatalog
  readonly upstreams: LiveUpstreams
  readonly upstreamHealth: UpstreamHealth
  readonly authenticator: Authenticator
  readonly bodyMemory: BodyMemory
  readonly settlement: Settlement
  readonly queue: SettlementQueue
  readonly calls: CallsInFlight
  readonly openCalls: OpenCalls
}

/** Reads the gauges from the parts of a gateway. */
export function gaugeSources(state: ShownState): GaugeSources {
  const { redis, catalog, upstreams, upstreamHealth, authenticator, bodyMemory, settlement, queue, calls } = state
  return {
    settlementsWaiting: () => queue.waiting,
    bodyBytes: () => bodyMemory.heldBytes,
    bodyLimitBytes: () => bodyMemory.limitBytes,
    requestsInFlight: () => calls.count,
    openStreams: () => state.openCalls.streams,
    holds: () => state.openCalls.count + settlement.countingCalls + queue.waiting,
    keyCacheKeys: () => authenticator.keyCount,
    isRedisReady: () => redis.isReady(),
    isCatalogLoaded: () => catalog.current() !== null,
    upstreams: () => upstreams.current.byName.values(),
    upstreamProblems: () => upstreamHealth.problems()
  }
}
