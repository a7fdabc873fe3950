import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import type { Sql } from 'postgres'
import { costOf } from '../../metering/produced.ts'
import { modelOf, prices } from '../system/catalog.ts'
import { type CappedTraffic, maxNanosEach } from '../traffic/capped-traffic.ts'
import type { CopiedUntil } from './copy-progress.ts'
import type { CapMeasured, Measured, Uncopied } from './measured.ts'
import { chargedIn, producedIn } from './produced-and-charged.ts'

/** A gateway settles a request in Redis at most this long after the model server has finished it. */
const settledWithinMs = 1000

/** A loss of Redis' data, and how far control had copied it before. Times are ms since the epoch. */
export interface DataLoss {
  atMs: number
  copiedUntil: CopiedUntil
}

/**
 * Measures the spend under each cap.
 *
 * @param loss null if Redis lost no data
 */
export async function measureCaps(
  { accounts }: CappedTraffic,
  recorded: readonly RecordedRequest[],
  sql: Sql,
  loss: DataLoss | null
): Promise<CapMeasured[]> {
  return Promise.all(
    accounts.map(async ({ id, model, capNanos }) => {
      const ofModel = recorded.filter((request) => modelOf(request) === model)
      const unknown = loss === null ? [] : ofModel.filter((request) => wasUncopied(request, loss, 'usage'))
      return {
        capNanos,
        producedNanos: producedIn(ofModel).nanos,
        chargedNanos: (await chargedIn(sql, id)).nanos,
        unknownNanos: unknown.length * maxNanosEach
      }
    })
  )
}

/** Whether Redis lost the request before control had copied it: it was running, or it had ended since the last copy began. */
function wasUncopied(
  { startedAtMs, finishedAtMs, abortedAtMs }: RecordedRequest,
  { atMs, copiedUntil }: DataLoss,
  what: keyof CopiedUntil
): boolean {
  const endedAtMs = finishedAtMs ?? abortedAtMs
  return startedAtMs <= atMs && (endedAtMs === null || endedAtMs >= copiedUntil[what] - settledWithinMs)
}

/** Measures what control had not copied when Redis lost its data. @param loss null if it lost none */
export function measureUncopied(recorded: readonly RecordedRequest[], loss: DataLoss | null): Measured['uncopied'] {
  if (loss === null) return null
  const uncopied = (what: keyof CopiedUntil): Uncopied => {
    const requests = recorded.filter((request) => wasUncopied(request, loss, what))
    return {
      behindMs: loss.atMs - loss.copiedUntil[what],
      requests: requests.length,
      nanos: requests
        .filter(({ finishedAtMs }) => finishedAtMs !== null)
        .reduce((sum, request) => sum + costOf(request, prices), 0)
    }
  }
  return { usage: uncopied('usage'), receipts: uncopied('receipts') }
}

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
