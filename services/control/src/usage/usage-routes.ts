import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  type UsageGrouping,
  type UsageKey,
  UsageLatencyResponse,
  type UsageMember,
  UsageQuery,
  UsageResponse,
  UsageSummaryResponse
} from '@tollgate/contracts/http/usage.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { eq, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../callers/principal.ts'
import { monthlyCapNanos } from '../catalog/plans.ts'
import type { Clock } from '../clocks/clock.ts'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { freeBudgetColumn } from '../database/derived-columns.ts'
import { accounts } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { users } from '../database/schema/users.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { forecastMonth, readDailySpend } from './daily-spend.ts'
import { readAdjustments, readMonthSpend, toAdjustment } from './month-spend.ts'
import { readKeyNames } from './read-key-spends.ts'
import { readLatency } from './read-latency.ts'
import { readUsage, type UsageGroups } from './read-ledger.ts'
import { maxBuckets, monthOf, type UsageRange, usageRange } from './usage-range.ts'

export interface UsageOptions {
  database: Database
  redis: RedisLink
  catalog: Catalog
  clock: Clock
}

const maxAdjustments = 1000

/** `/api/usage`: the account's usage by the ledger, its latency by the request log, and its spend of this month. */
export async function usageRoutes(instance: FastifyInstance, options: UsageOptions): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  usage(app, options)
  latency(app, options)
  summary(app, options)
}

function usage(app: TypedApp, { database: { orm }, clock }: UsageOptions): void {
  app.get(
    '/',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'getUsage',
        summary: 'Get usage by hour, day or month',
        description:
          'At most five seconds behind while Redis is available. A request counts for the hour in which it began.',
        querystring: UsageQuery,
        response: answers({ 200: UsageResponse })
      }
    },
    async (request) => {
      const { range, groups } = readQuery(request.query, clock())
      const { accountId } = principalOf(request)
      const buckets = within(await readUsage(orm, accountId, range, groups, maxBuckets))
      // An adjustment belongs to no key and no model.
      const isWhole = groups.key === undefined && groups.model === undefined
      const adjustments = isWhole ? await readAdjustments(orm, accountId, range, maxAdjustments) : []
      return {
        ...answered(range, groups.groupBy),
        buckets,
        ...(adjustments.length > 0 && { adjustments: adjustments.map(toAdjustment) }),
        ...(await namesOf(orm, accountId, groups.groupBy, buckets))
      }
    }
  )
}

function latency(app: TypedApp, { database: { orm }, clock }: UsageOptions): void {
  app.get(
    '/latency',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'getUsageLatency',
        summary: 'Get how long requests took by hour, day or month',
        description:
          'Measures successful requests in the request log, from the arrival of the request at the gateway. Days that the log no longer keeps are missing.',
        querystring: UsageQuery,
        response: answers({ 200: UsageLatencyResponse })
      }
    },
    async (request) => {
      const { range, groups } = readQuery(request.query, clock())
      const { accountId } = principalOf(request)
      const { buckets, totals, sampled } = within(await readLatency(orm, accountId, range, groups, maxBuckets))
      const names = await namesOf(orm, accountId, groups.groupBy, totals)
      return { ...answered(range, groups.groupBy), sampled, buckets, totals, ...names }
    }
  )
}

function summary(app: TypedApp, { database: { orm }, redis, catalog, clock }: UsageOptions): void {
  app.get(
    '/summary',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'getUsageSummary',
        summary: 'Get this month’s spend, reservations, forecast and cap',
        description: 'While Redis is unavailable, the reservations are 0 and the spend comes from the usage reports.',
        response: answers({ 200: UsageSummaryResponse })
      }
    },
    async (request) => {
      const { accountId } = principalOf(request)
      const now = clock()
      const month = monthOf(now)
      const [account] = await orm
        .select({
          planInForce: accounts.planInForce,
          overrideLimits: accounts.overrideLimits,
          ownCapNanos: accounts.ownCapNanos,
          freeBudget: freeBudgetColumn
        })
        .from(accounts)
        .where(eq(accounts.id, accountId))
      if (account === undefined) throw new Error(`there is no account ${accountId}`)
      const [{ settled, reserved }, [days]] = await Promise.all([
        readMonthSpend(orm, redis, accountId, now),
        readDailySpend(orm, [{ account: accountId }], now)
      ])
      const { dayNanos, todayNanos } = days!
      const forecast = forecastMonth({ now, spentNanos: Number(settled), dayNanos })
      return {
        from: month.from.toISOString(),
        spent_usd: formatUsd(settled),
        reserved_usd: formatUsd(reserved),
        today_usd: formatUsd(BigInt(todayNanos)),
        forecast_usd: forecast === null ? null : formatUsd(BigInt(forecast)),
        cap_usd: formatUsd(BigInt(monthlyCapNanos(catalog, account, now))),
        resets_at: month.to.toISOString()
      }
    }
  )
}

function readQuery(query: UsageQuery, now: Date): { range: UsageRange; groups: UsageGroups } {
  const { group_by: groupBy = 'none', top, key, model } = query
  return { range: usageRange(query, now), groups: { groupBy, top: top === undefined ? null : Number(top), key, model } }
}

const answered = ({ from, to, interval }: UsageRange, groupBy: UsageGrouping) => ({
  from: from.toISOString(),
  to: to.toISOString(),
  interval,
  group_by: groupBy
})

/** @throws ServiceError `invalid_request` for null: the answer would have too many buckets */
function within<Value>(read: Value | null): Value {
  if (read !== null) return read
  throw new ServiceError('invalid_request', {
    message: `group_by: more than ${maxBuckets} buckets; ask for a shorter range, a longer interval, or only the top groups`
  })
}

async function namesOf(
  orm: Orm,
  accountId: string,
  groupBy: UsageGrouping,
  used: ReadonlyArray<{ readonly key_id?: string; readonly member_id?: string | null }>
): Promise<{ keys?: UsageKey[]; members?: UsageMember[] }> {
  if (groupBy === 'key') return { keys: await readKeyNames(orm, accountId, used) }
  return groupBy === 'member' ? { members: await readMemberNames(orm, accountId, used) } : {}
}

/** Reads the names of the users who created keys of an account, including users who have left its team. */
async function readMemberNames(
  orm: Orm,
  accountId: string,
  used: ReadonlyArray<{ readonly member_id?: string | null }>
): Promise<UsageMember[]> {
  const ids = [...new Set(used.flatMap(({ member_id: id }) => id ?? []))]
  return queryRows<UsageMember>(
    orm,
    sql`
      select ${users.id}::text as id, ${users.name} as name
      from ${users}
      where ${users.id} in (select json_array_elements_text(${JSON.stringify(ids)}::text::json)::uuid)
        and exists (select 1 from ${keys} where ${keys.createdBy} = ${users.id} and ${keys.accountId} = ${accountId})
      order by 2, 1`
  )
}
