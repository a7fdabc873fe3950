import type { Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { AdminAccount, AdminLimits } from '@tollgate/contracts/http/admin/accounts.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { eq } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { allEntries } from '../audit/audit-filter.ts'
import { readAuditLog, toAuditEntry } from '../audit/read-audit-log.ts'
import { budgetLeftNanos, effectivePlan, freeBudgetOf, limitsOfPlan, toUsd } from '../catalog/plans.ts'
import { readFreeBudget } from '../database/derived-columns.ts'
import { accounts, type OverrideLimits } from '../database/schema/accounts.ts'
import { readAdjustments, readMonthSpend, toAdjustment } from '../usage/month-spend.ts'
import { monthOf } from '../usage/usage-range.ts'
import { readBilling, readKeys, readUsers } from './account-parts.ts'
import { type AdminContext, findAccount } from './admin-context.ts'
import { readListings, toListing } from './read-listings.ts'

/** Entries of the audit log that are shown. */
const maxEntries = 50
const maxAdjustments = 100
/** Shorter than the payment provider's usual deadline: everything else is there at once. */
const invoicesTimeoutMs = 3000

type Context = Pick<AdminContext, 'database' | 'redis' | 'catalog' | 'payments' | 'clock'>

/**
 * One account with all its parts.
 *
 * @param id any text of the caller
 * @throws ServiceError `not_found`
 */
export async function readAccount(
  { database, redis, catalog, payments, clock }: Context,
  id: string,
  log: Pick<FastifyBaseLogger, 'warn'>
): Promise<AdminAccount> {
  const { orm } = database
  const now = clock()
  const account = await findAccount(orm, id)
  const accountId = account.id
  const signal = AbortSignal.any([payments.startDeadline(), AbortSignal.timeout(invoicesTimeoutMs)])
  const onFailure = (err: unknown) => log.warn({ err, accountId }, 'the invoices of an account could not be read')
  const [rows, spend, freeBudget, users, keys, billing, adjustments, audit] = await Promise.all([
    readListings(orm, {
      where: eq(accounts.id, accountId),
      sort: 'created',
      after: null,
      limit: 1,
      month: monthOf(now).from,
      now
    }),
    readMonthSpend(orm, redis, accountId, now),
    readFreeBudget(orm, accountId),
    readUsers(orm, accountId, account.ownerId, now),
    readKeys(orm, accountId, now),
    readBilling(orm, payments, accountId, signal, onFailure),
    readAdjustments(orm, accountId, null, maxAdjustments),
    readAuditLog(orm, allEntries(accountId), { before: null, limit: maxEntries })
  ])
  const { overridePlan, overridePlanEndsAt } = account
  const plan = catalog.plans[effectivePlan(catalog, account.planInForce)]!
  const free = freeBudgetOf(catalog, { ...account, freeBudget })
  const mailboxNanos = free === null ? null : budgetLeftNanos(free, plan.caps.monthlyNanos, now)
  return {
    ...toListing(catalog, rows[0]!),
    own_plan: effectivePlan(catalog, account.plan),
    plan_override:
      overridePlan === null ? null : { id: overridePlan, ends_at: overridePlanEndsAt?.toISOString() ?? null },
    limits: explainLimits({ ...account, plan, mailboxNanos }, now),
    // Redis knows at once.
    spent_usd: formatUsd(spend.settled),
    reserved_usd: formatUsd(spend.reserved),
    users,
    key_list: keys,
    ...billing,
    adjustments: adjustments.map(toAdjustment),
    audit: audit.rows.map(toAuditEntry)
  }
}

type Limit = AdminLimits['monthly_budget_usd']

export interface LimitsOf {
  /** The plan in force. */
  readonly plan: Pick<Plan, 'limits' | 'caps' | 'keyQuota' | 'priceGroup'>
  readonly overrideLimits: OverrideLimits | null
  readonly overrideLimitsEndAt: Date | null
  readonly ownCapNanos: number | null
  /** What other accounts of the mailbox leave of the free budget; null if the account has its plan's whole budget. */
  readonly mailboxNanos: number | null
}

/**
 * The limits in force, and where each comes from. An operator's limit replaces the plan's, until it ends. The owner's
 * monthly cap applies while it is lower than both. A free budget may be shared with other accounts of the mailbox.
 */
export function explainLimits(account: LimitsOf, now: Date): AdminLimits {
  const { plan, overrideLimitsEndAt: endsAt, ownCapNanos, mailboxNanos } = account
  const hasEnded = endsAt !== null && endsAt <= now
  const set: OverrideLimits = hasEnded ? {} : (account.overrideLimits ?? {})

  function explain<Value>(planValue: Value | null, override: Value | undefined) {
    const values = { plan_value: planValue, operator_value: override ?? null }
    if (override === undefined) return { value: planValue, from: 'plan' as const, ...values, ends_at: null }
    return { value: override, from: 'operator' as const, ...values, ends_at: endsAt?.toISOString() ?? null }
  }
  const inUsd = (nanos: number | undefined) => (nanos === undefined ? undefined : toUsd(nanos))

  const own = limitsOfPlan(plan)
  const monthly = explain(toUsd(own.monthlyNanos), inUsd(set.monthlyNanos))
  const isOwnLower = ownCapNanos !== null && ownCapNanos < (mailboxNanos ?? set.monthlyNanos ?? own.monthlyNanos)
  const limit: Limit =
    mailboxNanos === null ? monthly : { ...monthly, value: toUsd(mailboxNanos), from: 'mailbox' as const }
  return {
    monthly_budget_usd: isOwnLower ? { ...monthly, value: toUsd(ownCapNanos), from: 'owner' } : limit,
    request_budget_usd: explain(toUsd(own.requestNanos), inUsd(set.requestNanos)),
    requests_per_minute: explain(own.requestsPerMinute, set.requestsPerMinute),
    tokens_per_minute: explain(own.tokensPerMinute, set.tokensPerMinute),
    concurrent_requests: explain(own.concurrentRequests, set.concurrentRequests),
    key_quota: explain(own.keyQuota, set.keyQuota),
    price_group: explain(plan.priceGroup ?? null, set.priceGroup)
  }
}
