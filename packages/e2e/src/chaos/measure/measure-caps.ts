import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import type { Sql } from 'postgres'
import { costOf } from '../../metering/produced.ts'
import { modelOf, prices } from '../system/catalog.ts'
import { type CappedTraffic, maxNanosEach } from '../traffic/capped-traffic.ts'
import type { CapMeasured } from './measured.ts'
import { chargedIn, producedIn } from './produced-and-charged.ts'

/** Control copies usage into the ledger at most this late. */
const copiedWithinMs = 2000

/**
 * Measures the spend under each cap.
 *
 * @param dataLostAt when Redis lost data, ms since the epoch; null if it lost none
 */
export async function measureCaps(
  { accounts }: CappedTraffic,
  recorded: readonly RecordedRequest[],
  sql: Sql,
  dataLostAt: number | null
): Promise<CapMeasured[]> {
  return Promise.all(
    accounts.map(async ({ id, model, capNanos }) => {
      const ofModel = recorded.filter((request) => modelOf(request) === model)
      const unknown = dataLostAt === null ? [] : ofModel.filter((request) => wasUnknown(request, dataLostAt))
      return {
        capNanos,
        producedNanos: producedIn(ofModel).nanos,
        chargedNanos: (await chargedIn(sql, id)).nanos,
        unknownNanos: unknown.length * maxNanosEach
      }
    })
  )
}

/** Whether the ledger may lack a request at that moment: it was running, or it had just ended. */
function wasUnknown({ startedAtMs, finishedAtMs, abortedAtMs }: RecordedRequest, atMs: number): boolean {
  const endedAtMs = finishedAtMs ?? abortedAtMs
  return startedAtMs <= atMs && (endedAtMs === null || endedAtMs >= atMs - copiedWithinMs)
}

/** Cost of the requests that ended just before that moment, so that the ledger may lack them; nanodollars. */
export function uncopiedNanos(recorded: readonly RecordedRequest[], atMs: number): number {
  return recorded
    .filter((request) => request.finishedAtMs !== null && wasUnknown(request, atMs))
    .reduce((sum, request) => sum + costOf(request, prices), 0)
}

/** How many requests ran at that moment or had just ended, so that the ledger or the request log may lack them. */
export const uncopiedRequests = (recorded: readonly RecordedRequest[], atMs: number): number =>
  recorded.filter((request) => wasUnknown(request, atMs)).length

/**
 * Counts the 402 answers that the cap does not explain: the budget would suffice even if each other request had cost its
 * maximum.
 */
export function falseBudgetRefusals({ accounts, sent, refusals }: CappedTraffic): number {
  return refusals.filter(({ account, answeredAt, neededNanos }) => {
    const before = sent.filter(
      (one) => one.account === account && one.sentAt < answeredAt && !one.outcome.startsWith('402')
    )
    const { capNanos } = accounts.find(({ id }) => id === account)!
    return before.length * maxNanosEach + neededNanos <= capNanos
  }).length
}
