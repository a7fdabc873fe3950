import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import { anyNode, type RedisLink, readRedisTime, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { announceChange } from '@tollgate/state/projection/changes.ts'
import { putFreeClosing, readFreeClosing } from '@tollgate/state/projection/stored-catalog.ts'
import { type Reserved, readReserved } from '@tollgate/state/spend/spend.ts'
import { readHour } from '@tollgate/state/usage/usage.ts'
import { sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type Orm, queryRows } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { ledger } from '../database/schema/usage.ts'
import type { Ledger } from './ledger.ts'
import { copyRound } from './usage-copier.ts'

const dayMs = 86_400_000

/** A day in UTC, ms since the epoch; `to` is exclusive. */
interface Day {
  readonly from: number
  readonly to: number
}

/** @param now ms since the epoch */
export function dayOf(now: number): Day {
  const from = Math.floor(now / dayMs) * dayMs
  return { from, to: from + dayMs }
}

/**
 * Decides until when gateways refuse what free accounts have to pay for.
 *
 * @param limitNanos what all of them together may spend in a day, nanodollars; null: no limit
 * @param spentNanos what they have spent in the day, or may still spend for running requests
 * @returns ms since the epoch; 0: they refuse nothing
 */
export const freeClosing = (limitNanos: bigint | null, spentNanos: bigint, day: Day): number =>
  limitNanos !== null && spentNanos >= limitNanos ? day.to : 0

export interface FreeSpendOptions {
  orm: Orm
  redis: RedisLink
  ledger: Ledger
  catalog: Pick<Catalog, 'plans'>
  /** What all free accounts together may spend in a day (UTC), nanodollars; null: no limit. */
  limitNanos: bigint | null
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

export interface FreeSpendLimit extends BackgroundLoop {
  readonly limitNanos: bigint | null
  /** What the last round found, nanodollars; null without a limit, or before the first round. */
  spentNanos(): bigint | null
}

/**
 * Adds up what free accounts spend in a day, and tells gateways when it reaches the limit, and when it is below again.
 * Every replica does this. The day is that of Redis' clock, by which gateways count usage.
 */
export function createFreeSpendLimit(options: FreeSpendOptions): FreeSpendLimit {
  const { orm, redis, ledger, catalog, limitNanos, log } = options
  let spent: bigint | null = null

  /** @returns until when the offer is closed */
  async function addUp(now: number, day: Day, signal: AbortSignal): Promise<number> {
    const reserved = await readReserved(redis, monthNumber(new Date(now)))
    const decide = async () => {
      spent = await readFreeSpend(orm, catalog, day, reserved)
      return freeClosing(limitNanos, spent, day)
    }
    const until = await decide()
    if (until !== 0 || (await readFreeClosing(redis)) === 0) return until
    // What was reserved until just now may have ended, and not be in the ledger yet: while control was away, nobody
    // copied. Redis counts a request as its reservation ends, so this copy has it.
    await copyRound(ledger, redis, await readHour(anyNode(redis)), { signal })
    return await decide()
  }

  async function round(signal: AbortSignal): Promise<void> {
    const now = await readRedisTime(anyNode(redis))
    const day = dayOf(now)
    // Without a limit, this ends a closing of an earlier one.
    const until = limitNanos === null ? 0 : await addUp(now, day, signal)
    if (!(await putFreeClosing(redis, until))) return
    await announceChange(redis, { kind: 'free-offer' })
    if (until === 0) return
    log.warn(
      { spentUsd: formatUsd(spent!), limitUsd: formatUsd(limitNanos!), until: new Date(until) },
      'free accounts have spent FREE_SPEND_USD_PER_DAY; gateways refuse them until midnight UTC'
    )
  }

  const loop = createBackgroundLoop({
    readiness: redis,
    round,
    intervalMs: 2000,
    describeError: withoutCommand,
    log,
    messages: {
      failing:
        'the spend of free accounts cannot be added up; gateways keep what they were told last, until midnight UTC',
      recovered: 'the spend of free accounts is added up again'
    }
  })
  return { ...loop, limitNanos, spentNanos: () => spent }
}

/**
 * Sums what all accounts that are free now have spent in a day, and what is reserved for their running requests;
 * nanodollars. An account is free without a paid plan in force, and without a monthly budget from an operator: gateways
 * decide it in the same way. Deleted accounts are free.
 *
 * @throws the error of PostgreSQL
 */
async function readFreeSpend(
  orm: Orm,
  catalog: Pick<Catalog, 'plans'>,
  day: Day,
  reserved: readonly Reserved[]
): Promise<bigint> {
  const paid = Object.keys(catalog.plans).filter((plan) => plan !== freePlan)
  const hour = (at: number) => sql.param(new Date(at), ledger.hour)
  const [sum] = await queryRows<{ nanos: string }>(
    orm,
    sql`
      with free as (
        select ${accounts.id} as id from ${accounts}
        where not exists (
            select from json_array_elements_text(${JSON.stringify(paid)}::text::json) as paid (plan)
            where paid.plan = ${accounts.planInForce}
          )
          and ${accounts.overrideLimits} -> 'monthlyNanos' is null
      ), spent as (
        select ${ledger.accountId} as id, ${ledger.costNanos} as nanos from ${ledger}
        where ${ledger.hour} >= ${hour(day.from)} and ${ledger.hour} < ${hour(day.to)}
        union all
        select account, nanos from json_to_recordset(${JSON.stringify(reserved)}::text::json) as reserved (account uuid, nanos bigint)
      )
      select coalesce(sum(nanos), 0)::text as nanos from spent join free using (id)`
  )
  return BigInt(sum!.nanos)
}
