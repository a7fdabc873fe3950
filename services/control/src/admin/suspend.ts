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
