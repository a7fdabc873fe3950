import { OkResponse, SignoutRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { presentedSessions, sessionCookie } from '../callers/session-cookie.ts'
import { closeSessions, endSessions, usersOfSessions } from '../callers/sessions.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './auth-context.ts'

/**
 * `POST /signout`: closes the session, or all the user's sessions with `everywhere`, and clears the cookie. Without a
 * session it succeeds too.
 */
export function signout(app: TypedApp, { database, clock, cookie }: AuthContext): void {
  const { maxAge, ...attributes } = cookie
  app.post(
    '/signout',
    { schema: { body: SignoutRequest, response: answers({ 200: OkResponse }) } },
    async (request, reply) => {
      const tokens = presentedSessions(request.headers.cookie)
      const isEverywhere = request.body?.everywhere === true
      const { ip } = request
      if (tokens.length > 0) {
        await database.orm.transaction(async (tx) => {
          const at = clock()
          const action = isEverywhere ? 'auth.sessions_ended' : 'auth.signout'
          const signedOut = isEverywhere ? await usersOfSessions(tx, tokens, at) : await closeSessions(tx, tokens)
          for (const userId of signedOut) {
            if (isEverywhere) await endSessions(tx, userId)
            await recordAudit(tx, { accountId: userId, actorId: userId, action, ip, at })
          }
        })
      }
      reply.clearCookie(sessionCookie, attributes)
      return { ok: true as const }
    }
  )
}
