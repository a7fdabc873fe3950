import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { callableTarget } from '../relay/callable-target.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'
import type { FreeAnswer } from './call-once.ts'

/**
 * Calls each target of a route at most once, until one answers. After a timeout no other is called, because it would take as long again.
 *
 * @param route in order, of upstreams that the gateway has
 * @throws ServiceError the last failure
 */
export async function callAny(
  route: readonly Target[],
  upstreams: Upstreams,
  call: (target: Target, upstream: Upstream) => Promise<FreeAnswer>
): Promise<FreeAnswer> {
  const tried: Target[] = []
  for (;;) {
    const { target } = callableTarget(route, tried, upstreams, performance.now())!
    tried.push(target)
    try {
      return await call(target, upstreams.get(target.upstream)!)
    } catch (error) {
      const next = callableTarget(route, tried, upstreams, performance.now())
      const isLast = next === null || tried.includes(next.target)
      if (isLast || (error as ServiceError).code === 'upstream_timeout') throw error
    }
  }
}
