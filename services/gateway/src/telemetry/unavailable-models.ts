import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { FastifyBaseLogger } from 'fastify'

/** A model is logged at most once in this time. */
const quietMs = 60_000

/**
 * Reports models that are routed only to upstreams that this gateway does not have: an alarm, since only the operator
 * can help.
 *
 * @param onRefused called for each refused request
 * @param now monotonic clock, milliseconds
 * @returns call it for each refused request, with the client's name of the model
 */
export function createUnavailableModels(
  log: Pick<FastifyBaseLogger, 'error'>,
  onRefused: (model: string) => void,
  now: () => number = () => performance.now()
): (name: string, model: Pick<Model, 'route'>) => void {
  const loggedAt = new Map<string, number>()
  return (name, { route }) => {
    onRefused(name)
    if (now() - (loggedAt.get(name) ?? Number.NEGATIVE_INFINITY) < quietMs) return
    loggedAt.set(name, now())
    const upstreams = route.map(({ upstream }) => upstream)
    log.error(
      { model: name, upstreams },
      'a model is routed only to upstreams that this gateway does not have. Add one of them to the upstreams file, or change the route'
    )
  }
}
