import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { AdminAccountParams, AdminAccountResponse, ReasonRequest } from '@tollgate/contracts/http/admin/accounts.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { resumeAccount, suspendAccount } from '../accounts/suspend-account.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AdminContext } from './admin-context.ts'
import { assertNotOwnAccount } from './assert-not-own-account.ts'
import { findAccount } from './find-account.ts'
import { readAccount } from './read-account.ts'
import { byOperator, recordAct } from './record-act.ts'

/**
 * `POST /accounts/:id/suspend` and `/resume`: refuses or accepts the keys of an account, at every gateway. `/approve`: ends the wait of an
 * account that began with `SIGNUP=approved`.
 */
export function suspend(app: TypedApp, context: AdminContext): void {
  const { database, projector, clock } = context
  const changes = [
    { path: 'suspend', change: suspendAccount, why: 'operator', action: 'account.suspended' },
    { path: 'resume', change: resumeAccount, why: 'operator', action: 'account.resumed' },
    { path: 'approve', change: resumeAccount, why: 'approval', action: 'account.approved' }
  ] as const

  for (const { path, change, why, action } of changes) {
    app.post(
      `/accounts/:id/${path}`,
      {
        onRequest: app.requireSupport,
        schema: { params: AdminAccountParams, body: ReasonRequest, response: answers({ 200: AdminAccountResponse }) }
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
