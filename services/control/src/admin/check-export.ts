import { OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { TypedApp } from '../http/typed-app.ts'

/** `GET /export-check`: whether the operator may export now. A browser would save the refusal of a download as its file. */
export function checkExport(app: TypedApp): void {
  app.get(
    '/export-check',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      schema: { response: answers({ 200: OkResponse }) }
    },
    async () => ({ ok: true as const })
  )
}
