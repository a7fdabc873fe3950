import type { Readiness } from '@tollgate/service/http/admin-server.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'

/**
 * Whether a gateway can serve. The problems of upstreams do not change it: other models still work.
 *
 * @param problems of upstreams, without secrets
 */
export function gatewayReadiness(
  redis: RedisLink,
  catalog: LiveCatalog,
  isStopping: boolean,
  problems: readonly object[]
): Readiness {
  const parts = { redis: redis.isReady(), catalog: catalog.current() !== null, stopping: isStopping }
  return { isReady: parts.redis && parts.catalog && !parts.stopping, details: { ...parts, problems } }
}
