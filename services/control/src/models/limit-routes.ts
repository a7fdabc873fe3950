import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog, Plan } from '@tollgate/contracts/catalog/catalog.ts'
import { isOnSale } from '@tollgate/contracts/catalog/plans-on-sale.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  type AccountLimits,
  type LimitsOfPlan,
  LimitsResponse,
  type RateLeft
} from '@tollgate/contracts/http/limits.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import type { FreeBudget } from '@tollgate/contracts/records/records.ts'
import { type RateRest, type RatesLeft, type RateTerms, readRates } from '@tollgate/state/admission/read-rates.ts'
import { freeModelLimits } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readBudgetCounters } from '@tollgate/state/spend/budgets.ts'
import { and, eq, gt, isNull, or } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../callers/principal.ts'
import {
  effectivePlan,
  freeBudgetOf,
  type LimitsInForce,
  limitsInForce,
  monthlyCapNanos,
  spentBeforeNanos
} from '../catalog/plans.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { readFreeBudget } from '../database/derived-columns.ts'
import { accounts } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { type MonthSpend, readMonthSpend } from '../usage/month-spend.ts'
import { monthOf } from '../usage/usage-range.ts'

/** The rates of an account. As the gateway does, an operator's rate keeps the plan's share of bursts. */
function ratesOf(
  { requestsPerMinute, tokensPerMinute }: LimitsInForce,
  { limits }: Pick<Plan, 'limits'>
): { requests: RateTerms; tokens: RateTerms } {
  const terms = (own: number, rate: number, burst: number): RateTerms => ({
    perMinute: own,
    burst: own === rate ? burst : Math.max(1, Math.round((own * burst) / rate))
  })
  return {
    requests: terms(requestsPerMinute, limits.requestsPerMinute, limits.burstRequests),
    tokens: terms(tokensPerMinute, limits.tokensPerMinute, limits.burstTokens)
  }
}

interface LimitFacts {
  readonly limits: LimitsInForce
  readonly isSetByOperator: boolean
  readonly rates: ReturnType<typeof ratesOf>
  /** Null while Redis does not know the account, or is unavailable. */
  readonly left: RatesLeft | null
  readonly freeModels: AccountLimits['free_models']
  readonly capNanos: number
  /** Null: the account has its whole plan's budget. */
  readonly free: FreeBudget | null
  readonly spend: MonthSpend
  readonly now: Date
  readonly liveKeys: number
}

function describeLimits(facts: LimitFacts): AccountLimits {
  const { limits, rates, left, spend } = facts
  const free = BigInt(facts.capNanos) + spend.credit - spend.settled - spend.reserved
  return {
    is_set_by_operator: facts.isSetByOperator,
    requests: toRate(rates.requests, left?.requests),
    tokens: toRate(rates.tokens, left?.tokens),
    concurrent_requests: { limit: limits.concurrentRequests, in_use: left?.open ?? null },
    free_models: facts.freeModels,
    request_budget_usd: limits.requestNanos / 1e9,
    month: {
      budget_usd: formatUsd(BigInt(facts.capNanos)),
      free_budget_elsewhere: facts.free?.isElsewhere === true,
      spent_before_usd: formatUsd(BigInt(spentBeforeNanos(facts.free, facts.now))),
      spent_usd: formatUsd(spend.settled),
      reserved_usd: formatUsd(spend.reserved),
      left_usd: formatUsd(free > 0n ? free : 0n),
      resets_at: monthOf(facts.now).to.toISOString()
    },
    keys: { limit: limits.keyQuota, in_use: facts.liveKeys }
  }
}

const toRate = ({ perMinute, burst }: RateTerms, rest: RateRest | undefined): RateLeft => ({
  per_minute: perMinute,
  burst,
  left: rest?.left ?? null,
  full_in_ms: rest?.restMs ?? null
})

/** The limits of the account's plan and of plans on sale, in the order of the catalog. */
const compareLimits = ({ plans }: Catalog, current: string): LimitsOfPlan[] =>
  Object.entries(plans)
    .filter(([id, plan]) => id === current || isOnSale(id, plan))
    .map(([id, { name, limits, caps, keyQuota, seats }]) => ({
      id,
      name,
      is_current: id === current,
      requests_per_minute: limits.requestsPerMinute,
      tokens_per_minute: limits.tokensPerMinute,
      concurrent_requests: limits.concurrentRequests,
      request_budget_usd: caps.requestNanos / 1e9,
      monthly_budget_usd: caps.monthlyNanos / 1e9,
      free_requests_per_minute: limits.freeRequestsPerMinute ?? null,
      free_requests_per_day: limits.freeRequestsPerDay ?? null,
      key_quota: keyQuota,
      seats
    }))

const windowMs = { minute: 60_000, day: 86_400_000 } as const

/** The account's requests to free models in this minute and on this day. */
async function readFreeModels(
  redis: RedisLink,
  account: string,
  limits: Plan['limits'],
  now: Date
): Promise<AccountLimits['free_models']> {
  const limited = freeModelLimits(limits)
  if (limited.length === 0) return []
  const fields = limited.map(({ field }) => ({ account, field }))
  const counters = redis.isReady() ? await readBudgetCounters(redis, fields).catch(() => null) : null
  return limited.map(({ window, limit }, index) => {
    const counter = counters?.[index] ?? null
    const isPresent = counter !== null && counter.window >= Math.floor(now.getTime() / windowMs[window])
    const used = isPresent ? counter.settled + counter.reserved : 0
    return { window, limit, left: counters === null ? null : Math.max(0, limit - used) }
  })
}

export interface LimitsOptions {
  database: Database
  redis: RedisLink
  catalog: Catalog
  clock: Clock
}

/** `/api/limits`: the account's limits, and what is left of them now. */
export async function limitRoutes(
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
      const [left, freeModels] = await Promise.all([
        readRates(redis, accountId, rates).catch(() => null),
        readFreeModels(redis, accountId, catalog.plans[plan]!.limits, now)
      ])
      const isSetByOperator = account.overrideLimits !== null
      return { limits: describeLimits({ ...facts, isSetByOperator, left, freeModels, now }), plans }
    }
  )
}
