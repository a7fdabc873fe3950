import { isDeepStrictEqual } from 'node:util'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  AdminAccountParams,
  AdminAccountResponse,
  ChangeAccountByOperatorRequest,
  type OwnLimits
} from '@tollgate/contracts/http/admin/accounts.ts'
import { PendingActResponse } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { eq } from 'drizzle-orm'
import { columnsOf, type Override, overrideAccount } from '../accounts/override-account.ts'
import { effectivePlan, exactNanos } from '../catalog/plans.ts'
import { accounts, type OverrideLimits } from '../database/schema/accounts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { byOperator, recordAct } from './acts.ts'
import { type AdminContext, assertNotOwnAccount, findAccount } from './admin-context.ts'
import { doOrAsk, type MoneyAct, readPending } from './money-act.ts'
import { readAccount } from './read-account.ts'

/** `PATCH /accounts/:id`: sets a plan and limits instead of the account's own, until they end. */
export function changeAccount(app: TypedApp, context: AdminContext): void {
  const { database, projector, clock } = context
  app.patch(
    '/accounts/:id',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      schema: {
        operationId: 'overrideAccount',
        summary: 'Set a plan or limits instead of the account’s own, until they end',
        description:
          'Needs the role `money` and a confirmation. Not for the operator’s own account. After success, all gateways enforce them. `limits` replaces all limits that operators set before. A monthly budget above `OPERATOR_CONFIRM_ABOVE_USD` gets 202: nothing is changed until another operator confirms the pending act.',
        errors: ['change_pending'],
        params: AdminAccountParams,
        body: ChangeAccountByOperatorRequest,
        response: answers({ 200: AdminAccountResponse, 202: PendingActResponse })
      }
    },
    async (request, reply) => {
      const { id } = await findAccount(database.orm, request.params.id)
      assertNotOwnAccount(request, id)
      const by = byOperator(request, clock())
      const { pendingId } = await doOrAsk(context, overrideAct(context, id, request.body, by.at), by)
      if (pendingId !== null) return reply.code(202).send({ pending: await readPending(database.orm, pendingId) })
      if (!(await projector.accountChanged(id))) throw new ServiceError('change_pending')
      return { account: await readAccount(context, id, request.log) }
    }
  )
}

/** Checks a change of plan and limits. @throws ServiceError `invalid_request` naming the field */
export function overrideAct(
  { catalog }: Pick<AdminContext, 'catalog'>,
  accountId: string,
  body: ChangeAccountByOperatorRequest,
  now: Date
): MoneyAct<void> {
  const override = readOverride(body, catalog, now)
  const detail = describeOverride(body)
  const { reason } = body
  const action = 'account.overridden'
  return {
    action,
    accountId,
    body,
    detail,
    async nanos(tx) {
      const [before] = await tx.select().from(accounts).where(eq(accounts.id, accountId))
      if (before === undefined) return 0
      const after = { ...before, ...columnsOf(override) }
      return isDeepStrictEqual(after, before) ? 0 : highestBudget(after, catalog)
    },
    async run(tx, by) {
      const isChanged = await overrideAccount(tx, accountId, override, { ...by, note: reason }, detail)
      if (isChanged) await recordAct(tx, by, { action, accountId, reason, detail })
    }
  }
}

/** The monthly budget that an account gets: also the plan's, if the limits that now replace it end by themselves. */
function highestBudget(account: typeof accounts.$inferSelect, catalog: Catalog): number {
  const { plan, overridePlan, overrideLimits, overrideLimitsEndAt } = account
  const ofPlan = catalog.plans[effectivePlan(catalog, overridePlan ?? plan)]!.caps.monthlyNanos
  const inForce = overrideLimits?.monthlyNanos ?? ofPlan
  return overrideLimitsEndAt === null ? inForce : Math.max(inForce, ofPlan)
}

/** @throws ServiceError `invalid_request` naming the field */
export function readOverride({ plan, limits }: ChangeAccountByOperatorRequest, catalog: Catalog, now: Date): Override {
  if (plan === undefined && limits === undefined) throw invalid('plan: send a plan, limits, or both')
  return {
    ...(plan !== undefined && { plan: plan && { id: readPlan(plan.id, catalog), endsAt: readEnd('plan', plan, now) } }),
    ...(limits !== undefined && {
      limits: limits && { limits: readLimits(limits, catalog), endsAt: readEnd('limits', limits, now) }
    })
  }
}

function readPlan(id: string, catalog: Catalog): string {
  if (Object.hasOwn(catalog.plans, id)) return id
  throw invalid(`plan.id: must be one of ${Object.keys(catalog.plans).join(', ')}`)
}

function readEnd(field: string, { ends_at: endsAt }: { ends_at: string | null }, now: Date): Date | null {
  if (endsAt === null) return null
  const end = new Date(endsAt)
  if (!(end > now)) throw invalid(`${field}.ends_at: must be in the future`)
  return end
}

function readLimits(input: OwnLimits, { priceGroups = {} }: Catalog): OverrideLimits {
  const { price_group: group } = input
  if (group !== undefined && !Object.hasOwn(priceGroups, group)) {
    throw invalid(
      `limits.price_group: must be one of ${Object.keys(priceGroups).join(', ') || 'the catalog’s, which has none'}`
    )
  }
  const { monthly_budget_usd: monthly, request_budget_usd: request } = input
  const limits = {
    ...(monthly !== undefined && { monthlyNanos: exactNanos('limits.monthly_budget_usd', monthly) }),
    ...(request !== undefined && { requestNanos: exactNanos('limits.request_budget_usd', request) }),
    ...(input.requests_per_minute !== undefined && { requestsPerMinute: input.requests_per_minute }),
    ...(input.tokens_per_minute !== undefined && { tokensPerMinute: input.tokens_per_minute }),
    ...(input.concurrent_requests !== undefined && { concurrentRequests: input.concurrent_requests }),
    ...(input.key_quota !== undefined && { keyQuota: input.key_quota }),
    ...(group !== undefined && { priceGroup: group })
  }
  if (Object.keys(limits).length === 0) throw invalid('limits: send at least one limit, or null to remove all')
  return limits
}

/** What the audit logs keep of a request. */
function describeOverride({ plan, limits }: ChangeAccountByOperatorRequest): Record<string, string | number | null> {
  const { ends_at: limitsEndAt, ...values } = limits ?? { ends_at: null }
  return {
    ...(plan !== undefined && { plan: plan?.id ?? null, plan_ends_at: plan?.ends_at ?? null }),
    ...(limits === null && { limits: null }),
    ...(limits != null && { ...values, limits_end_at: limitsEndAt })
  }
}

const invalid = (message: string) => new ServiceError('invalid_request', { message })
