import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  AdminAccountParams,
  AdminAccountResponse,
  ChangeAccountByOperatorRequest,
  type OwnLimits
} from '@tollgate/contracts/http/admin/accounts.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { type Override, overrideAccount } from '../accounts/override-account.ts'
import { exactNanos } from '../accounts/own-cap.ts'
import type { OverrideLimits } from '../database/schema/accounts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AdminContext } from './admin-context.ts'
import { assertNotOwnAccount } from './assert-not-own-account.ts'
import { findAccount } from './find-account.ts'
import { readAccount } from './read-account.ts'
import { byOperator, recordAct } from './record-act.ts'

/** `PATCH /accounts/:id`: sets a plan and limits instead of the account's own, until they end. */
export function changeAccount(app: TypedApp, context: AdminContext): void {
  const { database, catalog, projector, clock } = context
  app.patch(
    '/accounts/:id',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      schema: {
        params: AdminAccountParams,
        body: ChangeAccountByOperatorRequest,
        response: answers({ 200: AdminAccountResponse })
      }
    },
    async (request) => {
      const { id } = await findAccount(database.orm, request.params.id)
      assertNotOwnAccount(request, id)
      const { reason } = request.body
      const by = byOperator(request, clock())
      const override = readOverride(request.body, catalog, by.at)
      const detail = describeOverride(request.body)
      await database.orm.transaction(async (tx) => {
        const isChanged = await overrideAccount(tx, id, override, { ...by, note: reason }, detail)
        if (isChanged) await recordAct(tx, by, { action: 'account.overridden', accountId: id, reason, detail })
      })
      if (!(await projector.accountChanged(id))) throw new ServiceError('change_pending')
      return { account: await readAccount(context, id, request.log) }
    }
  )
}

/** @throws ServiceError `invalid_request` naming the field */
export function readOverride({ plan, limits }: ChangeAccountByOperatorRequest, catalog: Catalog, now: Date): Override {
  if (plan === undefined && limits === undefined) throw invalid('plan: send a plan, limits, or both')
  return {
    ...(plan !== undefined && { plan: plan && { id: readPlan(plan.id, catalog), endsAt: readEnd('plan', plan, now) } }),
    ...(limits !== undefined && {
      limits: limits && { limits: readLimits(limits), endsAt: readEnd('limits', limits, now) }
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

function readLimits(asked: OwnLimits): OverrideLimits {
  const { monthly_budget_usd: monthly, request_budget_usd: request } = asked
  const limits = {
    ...(monthly !== undefined && { monthlyNanos: exactNanos('limits.monthly_budget_usd', monthly) }),
    ...(request !== undefined && { requestNanos: exactNanos('limits.request_budget_usd', request) }),
    ...(asked.requests_per_minute !== undefined && { requestsPerMinute: asked.requests_per_minute }),
    ...(asked.tokens_per_minute !== undefined && { tokensPerMinute: asked.tokens_per_minute }),
    ...(asked.concurrent_requests !== undefined && { concurrentRequests: asked.concurrent_requests }),
    ...(asked.key_quota !== undefined && { keyQuota: asked.key_quota })
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
