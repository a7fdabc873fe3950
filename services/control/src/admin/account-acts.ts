import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  AdminAccountParams,
  AdminAccountResponse,
  ReasonRequest,
  SignedOutResponse
} from '@tollgate/contracts/http/admin/accounts.ts'
import { OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, eq } from 'drizzle-orm'
import { resumeAccount, suspendAccount } from '../accounts/suspensions.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { endSessions } from '../callers/sessions.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { members } from '../database/schema/accounts.ts'
import { operatorActs } from '../database/schema/audit.ts'
import { users } from '../database/schema/users.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { deleteUser } from '../users/delete-user.ts'
import { byOperator, recordAct } from './acts.ts'
import { type AdminContext, assertNotOwnAccount, findAccount } from './admin-context.ts'
import { readAccount } from './read-account.ts'

/** `DELETE /accounts/:id`: closes an account and deletes its owner, like the owner's own deletion. */
export function deleteAccount(app: TypedApp, context: AdminContext): void {
  const { database, clock } = context
  app.delete(
    '/accounts/:id',
    {
      onRequest: [app.requireSupport, app.requireOperatorConfirmation],
      schema: {
        operationId: 'deleteAccountByOperator',
        summary: 'Delete an account and its owner',
        description:
          'Needs the role `support` and a confirmation. Revokes all keys, ends the subscriptions and deletes the owner, as if the owner did it. Operators cannot delete their own account here. After a failure, repeat the call.',
        errors: ['team_has_members', 'identity_unavailable', 'payments_unavailable', 'revocation_pending'],
        params: AdminAccountParams,
        body: ReasonRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const { id, ownerId } = await findAccount(database.orm, request.params.id)
      assertNotOwnAccount(request, id)
      const { reason } = request.body
      if (await isDeleted(database.orm, ownerId)) return { ok: true as const }
      const by = byOperator(request, clock())
      await deleteUser(context, ownerId, { ...by, note: reason }, async (tx) => {
        // A repeated call is no further act.
        const isLogged = (await tx.$count(operatorActs, isDeletionOf(id))) > 0
        if (!isLogged) await recordAct(tx, by, { action: 'account.deleted', accountId: id, reason })
      }).catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.code !== 'team_has_members') throw error
        throw new ServiceError('team_has_members', {
          message:
            'The account’s team has other members, who must leave first. To stop its keys now, suspend the account.',
          cause: error
        })
      })
      return { ok: true as const }
    }
  )
}

const isDeletionOf = (accountId: string) =>
  and(eq(operatorActs.accountId, accountId), eq(operatorActs.action, 'account.deleted'))

async function isDeleted(orm: Orm, userId: string): Promise<boolean> {
  const [user] = await orm.select({ deletedAt: users.deletedAt }).from(users).where(eq(users.id, userId))
  return user?.deletedAt !== null
}

/**
 * `POST /accounts/:id/suspend` and `/resume`: refuses or accepts the keys of an account, at every gateway. `/approve`:
 * ends the wait of an account that began with `SIGNUP=approved`.
 */
export function suspend(app: TypedApp, context: AdminContext): void {
  const { database, projector, clock } = context
  const changes = [
    {
      path: 'suspend',
      summary: 'Suspend an account',
      description:
        'Needs the role `support`. After success, all gateways refuse the account’s keys with `account_suspended`, and end its open requests. Operators cannot suspend their own account. Safe to repeat.',
      change: suspendAccount,
      why: 'operator',
      action: 'account.suspended'
    },
    {
      path: 'resume',
      summary: 'End a suspension by an operator',
      description:
        'Needs the role `support`. Not for the operator’s own account. After success, all gateways accept the account’s keys again, unless it is suspended for another reason. Safe to repeat.',
      change: resumeAccount,
      why: 'operator',
      action: 'account.resumed'
    },
    {
      path: 'approve',
      summary: 'Approve an account that waits for approval',
      description:
        'Needs the role `support`. With `SIGNUP=approved`, new accounts wait for it. Not for the operator’s own account. The owner gets a mail. Safe to repeat.',
      change: resumeAccount,
      why: 'approval',
      action: 'account.approved'
    }
  ] as const

  for (const { path, summary, description, change, why, action } of changes) {
    app.post(
      `/accounts/:id/${path}`,
      {
        onRequest: app.requireSupport,
        schema: {
          operationId: `${path}AccountByOperator`,
          summary,
          description,
          errors: ['change_pending'],
          params: AdminAccountParams,
          body: ReasonRequest,
          response: answers({ 200: AdminAccountResponse })
        }
      },
      async (request) => {
        const { id } = await findAccount(database.orm, request.params.id)
        assertNotOwnAccount(request, id)
        const { reason } = request.body
        const by = byOperator(request, clock())
        await database.orm.transaction(async (tx) => {
          if (!(await change(tx, id, why, { ...by, note: reason }))) return
          await recordAct(tx, by, { action, accountId: id, reason })
        })
        // A repeated call stores nothing, but reports whether the first is in force now.
        if (!(await projector.accountChanged(id))) throw new ServiceError('change_pending')
        return { account: await readAccount(context, id, request.log) }
      }
    )
  }
}

/** `POST /accounts/:id/signout`: ends all sessions of the owner and of all seats. */
export function signOut(app: TypedApp, { database, clock }: AdminContext): void {
  app.post(
    '/accounts/:id/signout',
    {
      onRequest: app.requireSupport,
      schema: {
        operationId: 'signOutByOperator',
        summary: 'End all sessions of an account’s owner and seats',
        description: 'Needs the role `support`.',
        params: AdminAccountParams,
        body: ReasonRequest,
        response: answers({ 200: SignedOutResponse })
      }
    },
    async (request) => {
      const { id, ownerId } = await findAccount(database.orm, request.params.id)
      const { reason } = request.body
      const by = byOperator(request, clock())
      const sessions = await database.orm.transaction(async (tx) => {
        const ended = await endAllSessions(tx, id, ownerId)
        if (ended === 0) return 0
        const act = { action: 'account.signed_out', accountId: id, detail: { sessions: ended } } as const
        await recordAudit(tx, { ...by, ...act, note: reason })
        await recordAct(tx, by, { ...act, reason })
        return ended
      })
      return { ok: true as const, sessions }
    }
  )
}

/** @returns how many there were */
async function endAllSessions(tx: Transaction, accountId: string, ownerId: string): Promise<number> {
  const seats = await tx.select({ id: members.userId }).from(members).where(eq(members.accountId, accountId))
  let ended = 0
  // In order, so that two operators who do this at once do not wait for each other.
  for (const userId of [ownerId, ...seats.map(({ id }) => id)].sort()) ended += await endSessions(tx, userId)
  return ended
}
