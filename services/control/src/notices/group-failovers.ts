import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'

const minuteMs = 60_000

/** Requests of one minute that another upstream answered than the first one of the route. */
export interface Failovers {
  readonly minute: Date
  readonly model: string
  readonly fromUpstream: string
  readonly toUpstream: string
  readonly requests: number
}

/** The members of a receipt that tell of a failover. */
export type FailedOver = Pick<Receipt, 'kind' | 'at' | 'model' | 'upstream' | 'attempts'>

/**
 * Groups receipts of requests that failed over, by minute, model and upstreams. A receipt names only the upstream that was
 * called last, so the one that failed is the first one of the model's route.
 *
 * @param receipts those that were stored for the first time, each request once
 * @param routeOf the upstreams of a model in their order; none for a model that the catalog lacks
 */
export function groupFailovers(
  receipts: readonly FailedOver[],
  routeOf: (model: string) => readonly string[]
): Failovers[] {
  const groups = new Map<string, Failovers>()
  for (const { kind, at, model, upstream, attempts } of receipts) {
    if (kind !== 'settled' || attempts < 2 || model === null || upstream === null) continue
    const [first] = routeOf(model)
    if (first === undefined || first === upstream) continue
    const minute = new Date(Math.floor((at * 1000) / minuteMs) * minuteMs)
    const name = JSON.stringify([minute.getTime(), model, first, upstream])
    const requests = (groups.get(name)?.requests ?? 0) + 1
    groups.set(name, { minute, model, fromUpstream: first, toUpstream: upstream, requests })
  }
  return [...groups.values()]
}
