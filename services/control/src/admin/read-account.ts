import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { eq } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { allEntries } from '../audit/audit-filter.ts'
import { readAuditLog, toAuditEntry } from '../audit/read-audit-log.ts'
import { effectivePlan } from '../catalog/effective-plan.ts'
import { budgetLeftNanos, freeBudgetOf } from '../catalog/free-budget-left.ts'
import { readFreeBudget } from '../database/free-budget.ts'
import { accounts } from '../database/schema/accounts.ts'
import { readAdjustments, toAdjustment } from '../usage/adjustments.ts'
import { readMonthSpend } from '../usage/month-spend.ts'
import { monthOf } from '../usage/usage-range.ts'
import { readBilling, readKeys, readUsers } from './account-parts.ts'
import type { AdminContext } from './admin-context.ts'
import { explainLimits } from './explain-limits.ts'
import { findAccount } from './find-account.ts'
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
      ...{ where: eq(accounts.id, accountId), sort: 'created', after: null, limit: 1 },
      ...{ month: monthOf(now).from, now }
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
