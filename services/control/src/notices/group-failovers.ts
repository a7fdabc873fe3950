import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'

const minuteMs = 60_000

/** Requests of one minute that another upstream answered than the one that was called first. */
export interface Failovers {
  readonly minute: Date
  readonly model: string
  readonly fromUpstream: string
  readonly toUpstream: string
  readonly requests: number
}

/** The members of a receipt that tell of a failover. */
export type FailedOver = Pick<Receipt, 'kind' | 'at' | 'model' | 'upstream' | 'failedAttempts' | 'code'>

/**
 * Groups receipts of requests that failed over, by minute, model and upstreams.
 *
 * @param receipts those that were stored for the first time, each request once
 */
export function groupFailovers(receipts: readonly FailedOver[]): Failovers[] {
  const groups = new Map<string, Failovers>()
  for (const { kind, at, model, upstream, failedAttempts, code } of receipts) {
    const first = failedAttempts[0]?.upstream ?? upstream
    if (kind !== 'settled' || code !== null || model === null || first === null || upstream === null) continue
    if (first === upstream) continue
    const minute = new Date(Math.floor((at * 1000) / minuteMs) * minuteMs)
    const name = JSON.stringify([minute.getTime(), model, first, upstream])
    const requests = (groups.get(name)?.requests ?? 0) + 1
    groups.set(name, { minute, model, fromUpstream: first, toUpstream: upstream, requests })
  }
  return [...groups.values()]
}
