import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  AdminReceiptsQuery,
  AdminReceiptsResponse,
  type ReceiptDifference
} from '@tollgate/contracts/http/admin/ledger.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { formatSignedUsd } from '@tollgate/contracts/money/usd.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { droppedReceipts, readReceipts } from '@tollgate/state/receipts/receipts.ts'
import type { Orm } from '../database/connect.ts'
import { projection } from '../database/schema/projection.ts'
import { requestLog } from '../database/schema/requests.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { type ComparedPart, comparePart, type DifferingAccount, isUnchanged } from '../requests/compare-receipts.ts'
import { dayMs, listDays, startOfDay } from '../requests/request-days.ts'
import { accountsWithUncopiedUsage } from '../usage/compare-ledger.ts'
import { sumAdjustments } from '../usage/month-spend.ts'
import { monthOf } from '../usage/usage-range.ts'
import type { AdminContext } from './admin-context.ts'

const hourMs = 3_600_000
/** An answer covers as many hours as it can read in this time. */
const budgetMs = 2000
/** Both copies of usage and receipts begin a round each second. */
const copyMs = 2500

/** `GET /ledger/receipts`: compares receipts with the ledger, hour by hour. */
export function receiptComparison(app: TypedApp, { database, redis, clock, limitReads }: AdminContext): void {
  const { orm } = database
  app.get(
    '/ledger/receipts',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'compareReceipts',
        summary: 'Compare the receipts of requests with the ledger',
        description:
          'An answer covers as many hours as control can compare in about two seconds. Only differences are listed. `not_copied_yet` goes away by itself.',
        querystring: AdminReceiptsQuery,
        response: answers({ 200: AdminReceiptsResponse })
      }
    },
    async (request) => {
      const { startedAt, skipped, foldedBefore } = await readLog(orm)
      const end = Math.ceil((clock().getTime() + 1) / hourMs) * hourMs
      const from = Math.min(end, readFrom(request.query) ?? (await firstHour(orm, startedAt, foldedBefore)) ?? end)
      const total = { requests: 0, ledger: 0n, receipts: 0n, late: 0, folded: 0, differing: 0 }
      const differences: ReceiptDifference[] = []
      const began = performance.now()
      let at = from
      while (at < end && performance.now() - began < budgetMs) {
        const isFolded = at < foldedBefore
        const next = isFolded ? startOfDay(at) + dayMs : at + hourMs
        const part = await limitReads(() => comparePart(orm, at, next))
        total.requests += part.requests
        total.ledger += part.ledgerNanos
        total.receipts += part.receiptNanos
        total.late += part.lateRows
        total.differing += part.differing
        if (isFolded) total.folded++
        differences.push(...(await judge(orm, redis, part, at, next)))
        at = next
      }
      return {
        receipts: {
          started_at: startedAt === null ? null : new Date(startedAt).toISOString(),
          from: new Date(from).toISOString(),
          to: new Date(at).toISOString(),
          requests: total.requests,
          ledger_usd: formatSignedUsd(total.ledger),
          receipts_usd: formatSignedUsd(total.receipts),
          late_rows: total.late,
          folded_days: total.folded,
          differing: total.differing,
          differences,
          dropped: await droppedReceipts(redis).catch(() => null),
          skipped,
          adjustments_usd: formatSignedUsd(
            await sumAdjustments(orm, null, monthOf(new Date(from)).from, new Date(Math.max(at, from + 1)))
          )
        },
        next_cursor: at < end ? new Date(at).toISOString() : null
      }
    }
  )
}

async function readLog(orm: Orm): Promise<{ startedAt: number | null; skipped: number; foldedBefore: number }> {
  const [log] = await orm.select().from(requestLog)
  const [state] = await orm.select({ foldedBefore: projection.ledgerFoldedBefore }).from(projection)
  return {
    startedAt: log?.startedAt.getTime() ?? null,
    skipped: log?.skipped ?? 0,
    foldedBefore: state?.foldedBefore?.getTime() ?? 0
  }
}

/** @throws ServiceError `invalid_request` */
function readFrom({ from, cursor }: AdminReceiptsQuery): number | null {
  const text = cursor ?? from
  if (text === undefined) return null
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new ServiceError('invalid_request', { message: 'cursor: not valid for this list' })
  return Math.floor(time / hourMs) * hourMs
}

/** The first hour of which the log has every receipt; null while it is empty. Of folded days, the first whole one. */
async function firstHour(orm: Orm, startedAt: number | null, foldedBefore: number): Promise<number | null> {
  if (startedAt === null) return null
  const [oldest = 0] = await listDays(orm)
  const first = Math.max(Math.ceil(startedAt / hourMs) * hourMs, oldest)
  return first < foldedBefore ? Math.ceil(first / dayMs) * dayMs : first
}

/** Decides why accounts differ. Reads them again after a moment: what changes meanwhile was being copied. */
async function judge(
  orm: Orm,
  redis: RedisLink,
  { differences }: ComparedPart,
  from: number,
  to: number
): Promise<ReceiptDifference[]> {
  if (differences.length === 0) return []
  const ids = differences.map(({ account }) => account)
  const isWaiting = await findWaiting(redis, ids)
  await delay(copyMs)
  const again = new Map((await comparePart(orm, from, to, ids)).differences.map((one) => [one.account, one]))
  return differences.flatMap((one) => {
    const later = again.get(one.account)
    if (later === undefined) return []
    const isCopied = isUnchanged(one, later) && !isWaiting(one.account)
    return [toDifference(later, from, to, isCopied ? reasonOf(later) : 'not_copied_yet')]
  })
}

/**
 * @returns whether usage or receipts of an account wait in Redis. While Redis is unavailable, nothing is known to wait.
 */
async function findWaiting(redis: RedisLink, accounts: readonly string[]): Promise<(account: string) => boolean> {
  try {
    const uncopied = await accountsWithUncopiedUsage(redis, accounts)
    const shards = [...new Set(accounts.map(accountShard))]
    const results = await Promise.all(
      shards.map(async (shard) => ((await readReceipts(redis, shard, 1)).entries.length > 0 ? [shard] : []))
    )
    const waiting = new Set(results.flat())
    return (account) => uncopied.has(account) || waiting.has(accountShard(account))
  } catch {
    return () => false
  }
}

const reasonOf = ({ ledger, receipts }: DifferingAccount): ReceiptDifference['reason'] =>
  ledger.requests >= receipts.requests && ledger.nanos >= receipts.nanos ? 'receipts_missing' : 'receipts_more'

const toDifference = (
  { account, ledger, receipts }: DifferingAccount,
  from: number,
  to: number,
  reason: ReceiptDifference['reason']
): ReceiptDifference => ({
  account_id: account,
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  ledger_requests: ledger.requests,
  receipt_requests: receipts.requests,
  ledger_usd: formatSignedUsd(ledger.nanos),
  receipts_usd: formatSignedUsd(receipts.nanos),
  ledger_tokens: ledger.tokens,
  receipt_tokens: receipts.tokens,
  reason
})
