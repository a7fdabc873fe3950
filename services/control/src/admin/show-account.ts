import { AdminAccountParams, AdminAccountResponse } from '@tollgate/contracts/http/admin/accounts.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AdminContext } from './admin-context.ts'
import { readAccount } from './read-account.ts'

/** `GET /accounts/:id`: one account with all its parts. */
export function showAccount(app: TypedApp, context: AdminContext): void {
  app.get(
    '/accounts/:id',
    {
      onRequest: app.requireOperator,
      schema: { params: AdminAccountParams, response: answers({ 200: AdminAccountResponse }) }
    },
    async ({ params, log }) => ({ account: await readAccount(context, params.id, log) })
  )
}
