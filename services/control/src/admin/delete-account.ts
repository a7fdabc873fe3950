import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { AdminAccountParams, ReasonRequest } from '@tollgate/contracts/http/admin/accounts.ts'
import { OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, eq } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { operatorActs } from '../database/schema/admin.ts'
import { users } from '../database/schema/users.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { deleteUser } from '../users/delete-user.ts'
import type { AdminContext } from './admin-context.ts'
import { assertNotOwnAccount } from './assert-not-own-account.ts'
import { findAccount } from './find-account.ts'
import { byOperator, recordAct } from './record-act.ts'

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
