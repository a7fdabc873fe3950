import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './endpoints.ts'
import { presentedSessions, sessionCookie } from './session-cookie.ts'
import { closeSessions } from './sessions.ts'

/** `POST /signout`: closes the session and clears the cookie. Without a session there is nothing to do, which is success. */
export function signout(app: TypedApp, { database, cookie }: AuthContext): void {
  const { maxAge, ...attributes } = cookie
  app.post(
    '/signout',
    { schema: { body: EmptyRequest, response: answers({ 200: OkResponse }) } },
    async (request, reply) => {
      await closeSessions(database.orm, presentedSessions(request.headers.cookie))
      reply.clearCookie(sessionCookie, attributes)
      return { ok: true as const }
    }
  )
}
