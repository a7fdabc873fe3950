import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { LimitsResponse } from '@tollgate/contracts/http/limits.ts'
import { readRates } from '@tollgate/state/admission/read-rates.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { and, eq, gt, isNull, or } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../callers/principal.ts'
import { effectivePlan } from '../catalog/effective-plan.ts'
import { freeBudgetOf } from '../catalog/free-budget-left.ts'
import { limitsInForce } from '../catalog/limits-in-force.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { readFreeBudget } from '../database/free-budget.ts'
import { accounts } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { readMonthSpend } from '../usage/month-spend.ts'
import { monthlyCapNanos } from '../usage/monthly-cap.ts'
import { compareLimits, describeLimits, ratesOf } from './describe-limits.ts'

export interface LimitsOptions {
  database: Database
  redis: RedisLink
  catalog: Catalog
  clock: Clock
}

/** `/api/limits`: the account's limits, and what is left of them now. */
export async function limitsEndpoints(
  instance: FastifyInstance,
  { database, redis, catalog, clock }: LimitsOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { orm } = database

  const countLiveKeys = (accountId: string, now: Date) =>
    orm.$count(
      keys,
      and(
        eq(keys.accountId, accountId),
        eq(keys.scope, 'inference'),
        eq(keys.status, 'active'),
        isNull(keys.sessionId),
        or(isNull(keys.expiresAt), gt(keys.expiresAt, now))
      )
    )

  app.get(
    '/',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'getLimits',
        summary: 'Get the account’s limits, and what is left of them now',
        description: 'Reading changes nothing. While Redis is unavailable, what is left of the rates is null.',
        response: answers({ 200: LimitsResponse })
      }
    },
    async (request) => {
      const { accountId } = principalOf(request)
      const now = clock()
      const [spend, liveKeys, freeBudget, [row]] = await Promise.all([
        readMonthSpend(orm, redis, accountId, now),
        countLiveKeys(accountId, now),
        readFreeBudget(orm, accountId),
        orm.select().from(accounts).where(eq(accounts.id, accountId))
      ])
      if (row === undefined) throw new Error(`there is no account ${accountId}`)
      const account = { ...row, freeBudget }
      const plan = effectivePlan(catalog, account.planInForce)
      const limits = limitsInForce(catalog, account)
      const rates = ratesOf(limits, catalog.plans[plan]!)
      const facts = {
        limits,
        rates,
        spend,
        liveKeys,
        capNanos: monthlyCapNanos(catalog, account, now),
        free: freeBudgetOf(catalog, account)
      }
      const plans = compareLimits(catalog, plan)
      // Without Redis, the limits themselves are still worth to see.
      const left = await readRates(redis, accountId, rates).catch(() => null)
      const isSetByOperator = account.overrideLimits !== null
      return { limits: describeLimits({ ...facts, isSetByOperator, left, now }), plans }
    }
  )
}
