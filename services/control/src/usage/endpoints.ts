import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { UsageQuery, UsageResponse, UsageSummaryResponse } from '@tollgate/contracts/http/usage.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../callers/principal.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { readAdjustments, toAdjustment } from './adjustments.ts'
import { readDailySpend } from './daily-spend.ts'
import { forecastMonth } from './forecast-month.ts'
import { readMonthSpend } from './month-spend.ts'
import { monthlyCapNanos } from './monthly-cap.ts'
import { readKeyNames } from './read-key-names.ts'
import { readUsage } from './read-ledger.ts'
import { maxBuckets, monthOf, usageRange } from './usage-range.ts'

export interface UsageOptions {
  database: Database
  redis: RedisLink
  catalog: Catalog
  clock: Clock
}

const maxAdjustments = 1000

/** `/api/usage`: the account's usage according to the ledger, and its spend of this month. */
export async function usageEndpoints(
  instance: FastifyInstance,
  { database, redis, catalog, clock }: UsageOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { orm } = database
  const onRequest = app.requireAccount

  app.get(
    '/',
    { onRequest, schema: { querystring: UsageQuery, response: answers({ 200: UsageResponse }) } },
    async (request) => {
      const range = usageRange(request.query, clock())
      const groupBy = request.query.group_by ?? 'none'
      const { accountId } = principalOf(request)
      const buckets = await readUsage(orm, accountId, range, groupBy, maxBuckets)
      if (buckets === null) {
        throw new ServiceError('invalid_request', {
          message: `group_by: more than ${maxBuckets} buckets; ask for a shorter range or a longer interval`
        })
      }
      const adjustments = await readAdjustments(orm, accountId, range, maxAdjustments)
      return {
        from: range.from.toISOString(),
        to: range.to.toISOString(),
        interval: range.interval,
        group_by: groupBy,
        buckets,
        ...(adjustments.length > 0 && { adjustments: adjustments.map(toAdjustment) }),
        ...(groupBy === 'key' && { keys: await readKeyNames(orm, accountId, buckets) })
      }
    }
  )

  app.get('/summary', { onRequest, schema: { response: answers({ 200: UsageSummaryResponse }) } }, async (request) => {
    const { accountId } = principalOf(request)
    const now = clock()
    const month = monthOf(now)
    const [account] = await orm
      .select({
        planInForce: accounts.planInForce,
        overrideLimits: accounts.overrideLimits,
        ownCapNanos: accounts.ownCapNanos
      })
      .from(accounts)
      .where(eq(accounts.id, accountId))
    if (account === undefined) throw new Error(`there is no account ${accountId}`)
    const [{ settled, reserved }, days] = await Promise.all([
      readMonthSpend(orm, redis, accountId, now),
      readDailySpend(orm, [accountId], now)
    ])
    const { dayNanos, todayNanos } = days.get(accountId)!
    const forecast = forecastMonth({ now, spentNanos: Number(settled), dayNanos })
    return {
      from: month.from.toISOString(),
      spent_usd: formatUsd(settled),
      reserved_usd: formatUsd(reserved),
      today_usd: formatUsd(BigInt(todayNanos)),
      forecast_usd: forecast === null ? null : formatUsd(BigInt(forecast)),
      cap_usd: formatUsd(BigInt(monthlyCapNanos(catalog, account))),
      resets_at: month.to.toISOString()
    }
  })
}
