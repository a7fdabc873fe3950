import { UserResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { callerOf } from './session.ts'

/** `GET /me`: who is signed in. */
export function me(app: TypedApp): void {
  app.get(
    '/me',
    { onRequest: app.requireSession, schema: { response: answers({ 200: UserResponse }) } },
    async (request) => ({
      user: callerOf(request).user
    })
  )
}
