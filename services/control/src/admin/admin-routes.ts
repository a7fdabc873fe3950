import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { operatorEvents } from '@tollgate/contracts/events/event-types.ts'
import { AdminAccountParams, AdminAccountResponse } from '@tollgate/contracts/http/admin/accounts.ts'
import { ExportedUsage, ExportUsageQuery, exportGroups } from '@tollgate/contracts/http/admin/usage.ts'
import { OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { ChangeOperatorWebhookRequest, CreateOperatorWebhookRequest } from '@tollgate/contracts/http/webhooks.ts'
import type { FastifyInstance } from 'fastify'
import { concurrencyLimitFor } from '../background/limit-concurrency.ts'
import { callerOf } from '../callers/session.ts'
import { exported, exportRows, exportTimeoutMs } from '../http/export-rows.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { operatorEventRoutes } from '../notices/event-routes.ts'
import { type ExportRange, exportColumns, readExport } from '../usage/read-export.ts'
import { monthOf } from '../usage/usage-range.ts'
import { addDeliveryRoutes } from '../webhooks/delivery-routes.ts'
import { addEndpointRoutes } from '../webhooks/endpoint-routes.ts'
import type { WebhookArea } from '../webhooks/webhook-area.ts'
import { deleteAccount, signOut, suspend } from './account-acts.ts'
import { acts, byOperator, recordAct } from './acts.ts'
import { adjustUsage } from './adjust-usage.ts'
import type { AdminContext, AdminOptions } from './admin-context.ts'
import { announcements } from './announcements.ts'
import { catalog } from './catalog.ts'
import { changeAccount } from './change-account.ts'
import { ledgerComparison } from './compare-ledger.ts'
import { receiptComparison } from './compare-receipts.ts'
import { listAccounts } from './list-accounts.ts'
import { money } from './money.ts'
import { pendingActs } from './pending-acts.ts'
import { projection } from './projection.ts'
import { readAccount } from './read-account.ts'
import { reportedKeys } from './reported-keys.ts'
import { requests } from './requests.ts'
import { system } from './system.ts'

/** How long a read of the ledger waits for others. */
const readWaitMs = 10_000

/** `/api/admin/*`: for operators. Nobody else can tell that these endpoints exist. */
export async function adminRoutes(app: FastifyInstance, options: AdminOptions): Promise<void> {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const limit = concurrencyLimitFor(options.database, 'database_unavailable')
  const context: AdminContext = {
    ...options,
    limitReads: (read) => limit(read, AbortSignal.timeout(readWaitMs))
  }
  acts(typed, context)
  adjustUsage(typed, context)
  changeAccount(typed, context)
  pendingActs(typed, context)
  deleteAccount(typed, context)
  listAccounts(typed, context)
  showAccount(typed, context)
  signOut(typed, context)
  suspend(typed, context)
  catalog(typed, context)
  system(typed, context)
  announcements(typed, context)
  money(typed, context)
  reportedKeys(typed, context)
  checkExport(typed)
  exportUsage(typed, context)
  requests(typed, context)
  ledgerComparison(typed, context)
  receiptComparison(typed, context)
  projection(typed, context)
  webhooks(typed, context)
  operatorEventRoutes(typed, context)
}

/**
 * `GET /export-check`: whether the operator may export now. A browser would save the refusal of a download as its file.
 */
function checkExport(app: TypedApp): void {
  app.get(
    '/export-check',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      schema: {
        operationId: 'checkExport',
        summary: 'Check whether the operator may export now',
        description: 'Before a download, whose failure a browser would save as the file.',
        response: answers({ 200: OkResponse })
      }
    },
    async () => ({ ok: true as const })
  )
}

const dayMs = 86_400_000

/** `GET /usage`: the ledger of all accounts, as a stream of any length. */
function exportUsage(app: TypedApp, { database, clock, limitReads }: AdminContext): void {
  app.get(
    '/usage',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      handlerTimeout: exportTimeoutMs,
      schema: {
        operationId: 'exportUsage',
        summary: 'Export the ledger of all accounts',
        description:
          'Needs the role `money` and a confirmation. The answer is a stream of any length, as NDJSON or CSV. With `group=day,model` it has one row for each day and model. Usage may lag by 5 seconds. After a failure, the connection closes before the answer is complete.',
        querystring: ExportUsageQuery,
        response: answers({ 200: exported(ExportedUsage) as never })
      }
    },
    async (request, reply) => {
      const range = exportRange(request.query, clock())
      const format = request.query.format ?? 'ndjson'
      return exportRows(reply, {
        name: 'usage',
        format,
        limitReads,
        pages: readExport(database.orm, range),
        columns: exportColumns(range.groups),
        amounts: ['cost_usd', 'provider_cost_usd', 'margin_usd']
      })
    }
  )
}

/** @throws ServiceError `invalid_request` */
function exportRange({ from, to, account, group }: ExportUsageQuery, now: Date): ExportRange {
  const first = from === undefined ? monthOf(now).from : new Date(`${from}T00:00:00Z`)
  const last = to === undefined ? now : new Date(`${to}T00:00:00Z`)
  const end = new Date(Math.floor(last.getTime() / dayMs) * dayMs + dayMs)
  if (first >= end) throw new ServiceError('invalid_request', { message: 'from: must not be after to' })
  const names = group?.split(',') ?? exportGroups
  return { from: first, to: end, account, groups: exportGroups.filter((one) => names.includes(one)) }
}

/** `GET /accounts/:id`: one account with all its parts. */
function showAccount(app: TypedApp, context: AdminContext): void {
  app.get(
    '/accounts/:id',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'getAccountByOperator',
        summary: 'Get an account with its users, keys, limits, spend, billing and audit log',
        description: 'Shows where each limit comes from. Contains no secrets.',
        params: AdminAccountParams,
        response: answers({ 200: AdminAccountResponse })
      }
    },
    async ({ params, log }) => ({ account: await readAccount(context, params.id, log) })
  )
}

/** `/webhooks`: the operators' own webhook endpoints, which get the events for operators. */
function webhooks(app: TypedApp, { webhooks: options, limits, clock }: AdminContext): void {
  const onRequest = app.requireOperator
  const area: WebhookArea = {
    prefix: '/webhooks',
    noun: 'Operator',
    whose: 'the operators',
    errors: [],
    events: operatorEvents,
    onRequest,
    onChange: [app.requireMoney, app.requireOperatorConfirmation],
    preHandler: createRateLimitHook(app, {
      what: 'change-operator-webhooks',
      perMinute: limits.changeWebhooks,
      subjectOf: (request) => callerOf(request).user.id
    }),
    ownerOf: () => null,
    async record(tx, request, action, { id, url }) {
      const reason = 'An operator set up webhooks.'
      await recordAct(tx, byOperator(request, clock()), {
        action,
        accountId: null,
        subject: id,
        reason,
        detail: { host: new URL(url).host }
      })
    },
    CreateRequest: CreateOperatorWebhookRequest,
    ChangeRequest: ChangeOperatorWebhookRequest
  }
  addEndpointRoutes(app, options, area)
  addDeliveryRoutes(app, options, area)
}
