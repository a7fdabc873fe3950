import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { type ChangeAccountByOperatorRequest, ReasonRequest } from '@tollgate/contracts/http/admin/accounts.ts'
import type { AdjustmentRequest } from '@tollgate/contracts/http/admin/adjustments.ts'
import { PendingActParams, PendingActsResponse } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, eq, gt, isNull } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { callerOf } from '../callers/session.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { members } from '../database/schema/accounts.ts'
import { pendingActs as table } from '../database/schema/audit.ts'
import { users } from '../database/schema/users.ts'
import { isUuid } from '../http/query.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { rolesOf } from '../identity/identity.ts'
import { byOperator, recordAct } from './acts.ts'
import { adjustmentAct } from './adjust-usage.ts'
import { type AdminContext, assertNotOwnAccount, findAccount } from './admin-context.ts'
import { overrideAct } from './change-account.ts'
import { type ByOperator, listPending, type MoneyAct } from './money-act.ts'

type Pending = typeof table.$inferSelect

/** `/pending-acts`: acts of one operator that wait for another one, who confirms or rejects them. */
export function pendingActs(app: TypedApp, context: AdminContext): void {
  addList(app, context)
  addConfirmation(app, context)
  addRejection(app, context)
}

function addList(app: TypedApp, { database, clock }: AdminContext): void {
  app.get(
    '/pending-acts',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'listPendingActs',
        summary: 'List what waits for a second operator, the oldest first',
        description: 'Acts above `OPERATOR_CONFIRM_ABOVE_USD`. They end after 7 days.',
        response: answers({ 200: PendingActsResponse })
      }
    },
    async () => ({ pending: await listPending(database.orm, clock()) })
  )
}

function addConfirmation(app: TypedApp, context: AdminContext): void {
  const { database, projector, clock } = context
  app.post(
    '/pending-acts/:id/confirm',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      schema: {
        operationId: 'confirmPendingAct',
        summary: 'Do what another operator asked for',
        description:
          'Needs the role `money` and a confirmation. Not for the operator who asked, and not for the operator’s own account. Everything is checked again, and done once. After success, it is in force at all gateways. Safe to repeat.',
        errors: ['not_found', 'pending_act_closed', 'change_pending'],
        params: PendingActParams,
        body: ReasonRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const pending = await findPending(database.orm, request.params.id)
      assertMayDecide(request, pending)
      const by = byOperator(request, clock())
      if (!isDecidedBy(pending, 'confirmed', by)) {
        const act = await readAct(context, pending, by.at)
        await database.orm.transaction(async (tx) => {
          if (!(await decide(tx, pending, 'confirmed', by))) return
          await assertAskerMayAct(tx, pending)
          const { id: subject, accountId } = pending
          await recordAct(tx, by, { action: 'act.confirmed', accountId, subject, reason: request.body.reason })
          await act.run(tx, by)
        })
      }
      // A repeated call does nothing more, but reports whether the act is in force now.
      if (!(await projector.accountChanged(pending.accountId))) throw new ServiceError('change_pending')
      return { ok: true as const }
    }
  )
}

function addRejection(app: TypedApp, { database, clock }: AdminContext): void {
  app.post(
    '/pending-acts/:id/reject',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      schema: {
        operationId: 'rejectPendingAct',
        summary: 'Refuse what another operator asked for',
        description:
          'Needs the role `money` and a confirmation. Not for the operator who asked, and not for the operator’s own account. Safe to repeat.',
        errors: ['not_found', 'pending_act_closed'],
        params: PendingActParams,
        body: ReasonRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const pending = await findPending(database.orm, request.params.id)
      assertMayDecide(request, pending)
      const by = byOperator(request, clock())
      await database.orm.transaction(async (tx) => {
        if (!(await decide(tx, pending, 'rejected', by))) return
        const { id: subject, accountId } = pending
        await recordAct(tx, by, { action: 'act.rejected', accountId, subject, reason: request.body.reason })
      })
      return { ok: true as const }
    }
  )
}

/** @throws ServiceError `not_found` */
async function findPending(orm: Orm, id: string): Promise<Pending> {
  const own = id.toLowerCase()
  const [row] = isUuid(own) ? await orm.select().from(table).where(eq(table.id, own)) : []
  if (row === undefined) throw new ServiceError('not_found', { message: 'There is no pending act with this id.' })
  return row
}

/** @throws ServiceError `forbidden` for the operator who asked, and for the operator whose account it is */
function assertMayDecide(request: FastifyRequest, { askedBy, accountId }: Pending): void {
  if (callerOf(request).user.id === askedBy) {
    throw new ServiceError('forbidden', {
      message: 'You asked for this yourself. Another operator must confirm or reject it.'
    })
  }
  assertNotOwnAccount(request, accountId)
}

/** Makes the stored act again: everything is checked as at the first time. @throws ServiceError as the act itself */
async function readAct(
  context: AdminContext,
  { action, accountId, body }: Pending,
  now: Date
): Promise<MoneyAct<unknown>> {
  await findAccount(context.database.orm, accountId)
  // The route checked the body before it was stored.
  if (action === 'account.adjusted') return adjustmentAct(context, accountId, body as AdjustmentRequest)
  return overrideAct(context, accountId, body as ChangeAccountByOperatorRequest, now)
}

const isDecidedBy = ({ outcome, decidedBy }: Pending, wanted: Pending['outcome'], by: ByOperator): boolean =>
  outcome === wanted && decidedBy === by.actorId

/**
 * Decides a pending act, unless it is decided. Another transaction that decides it waits until this one ends.
 *
 * @returns false if the same operator decided the same before
 * @throws ServiceError `pending_act_closed`
 */
async function decide(
  tx: Transaction,
  { id }: Pending,
  outcome: NonNullable<Pending['outcome']>,
  by: ByOperator
): Promise<boolean> {
  const [decided] = await tx
    .update(table)
    .set({ outcome, decidedBy: by.actorId, decidedAt: by.at })
    .where(and(eq(table.id, id), isNull(table.outcome), gt(table.endsAt, by.at)))
    .returning({ id: table.id })
  if (decided !== undefined) return true
  const [present] = await tx.select().from(table).where(eq(table.id, id))
  if (present !== undefined && isDecidedBy(present, outcome, by)) return false
  throw new ServiceError('pending_act_closed')
}

/** @throws ServiceError `forbidden` if the operator who asked could not ask any more */
async function assertAskerMayAct(tx: Transaction, { askedBy, accountId }: Pending): Promise<void> {
  const [asker] = await tx
    .select({ isOperator: users.isOperator, roles: users.operatorRoles, teamId: members.accountId })
    .from(users)
    .leftJoin(members, eq(members.userId, users.id))
    .where(and(eq(users.id, askedBy), isNull(users.deletionStartedAt)))
  const isOperator = asker?.isOperator === true && rolesOf(asker.roles).includes('money')
  if (isOperator && accountId !== askedBy && accountId !== asker.teamId) return
  throw new ServiceError('forbidden', {
    message: 'The operator who asked for this may no longer do it. Reject it, or ask for it yourself.'
  })
}
