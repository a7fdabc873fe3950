import type { GaugeSources } from '../telemetry/process-gauges.ts'

/** The state of a gateway that does nothing. */
export const idleSources: GaugeSources = {
  settlementsWaiting: () => 0,
  bodyBytes: () => 0,
  bodyLimitBytes: () => 0,
  requestsInFlight: () => 0,
  openStreams: () => 0,
  holds: () => 0,
  keyCacheKeys: () => 0,
  isRedisReady: () => true,
  isCatalogLoaded: () => true,
  upstreams: () => [],
  upstreamProblems: () => []
}
