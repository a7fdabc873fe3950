import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import type { Sql } from 'postgres'
import { costOf } from '../../metering/produced.ts'
import { prices } from '../system/catalog.ts'
import { type CappedTraffic, mostNanosEach } from '../traffic/capped.ts'
import type { CapMeasured } from './measurement.ts'
import { chargedIn, modelOf, producedIn } from './usage.ts'

/** How old what the ledger knows may be. */
const copiedWithinMs = 2000

/**
 * What was spent under each cap.
 *
 * @param forgottenAt when Redis lost what it knew, ms since the epoch; null if it did not
 */
export async function measureCaps(
  { accounts }: CappedTraffic,
  witnessed: readonly RecordedRequest[],
  sql: Sql,
  forgottenAt: number | null
): Promise<CapMeasured[]> {
  return Promise.all(
    accounts.map(async ({ id, model, capNanos }) => {
      const ofModel = witnessed.filter((request) => modelOf(request) === model)
      const unknown = forgottenAt === null ? [] : ofModel.filter((request) => wasUnknown(request, forgottenAt))
      return {
        capNanos,
        producedNanos: producedIn(ofModel).nanos,
        chargedNanos: (await chargedIn(sql, id)).nanos,
        unknownNanos: unknown.length * mostNanosEach
      }
    })
  )
}

/** Whether a request was under way at that moment, or had ended so shortly before that the ledger may not have had it. */
function wasUnknown({ startedAtMs, finishedAtMs, abortedAtMs }: RecordedRequest, atMs: number): boolean {
  const endedAtMs = finishedAtMs ?? abortedAtMs
  return startedAtMs <= atMs && (endedAtMs === null || endedAtMs >= atMs - copiedWithinMs)
}

/** What was finished so shortly before that moment that the ledger may not have it, nanodollars. */
export function uncopiedNanos(witnessed: readonly RecordedRequest[], atMs: number): number {
  return witnessed
    .filter((request) => request.finishedAtMs !== null && wasUnknown(request, atMs))
    .reduce((sum, request) => sum + costOf(request, prices), 0)
}

/**
 * Refusals for want of budget that no budget can explain: even if all that was not refused had cost what it reserved at
 * most, there would have been enough.
 */
export function falseBudgetRefusals({ accounts, sent, refusals }: CappedTraffic): number {
  return refusals.filter(({ account, answeredAt, neededNanos }) => {
    const before = sent.filter(
      (one) => one.account === account && one.sentAt < answeredAt && !one.outcome.startsWith('402')
    )
    const { capNanos } = accounts.find(({ id }) => id === account)!
    return before.length * mostNanosEach + neededNanos <= capNanos
  }).length
}
