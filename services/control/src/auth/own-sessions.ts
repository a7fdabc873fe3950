import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  EmptyRequest,
  OkResponse,
  SessionParams,
  SessionsResponse,
  SignoutRequest
} from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { and, desc, eq, gt } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import { callerOf } from '../callers/session.ts'
import { presentedSessions, sessionCookie } from '../callers/session-cookie.ts'
import { closeSessions, endSessions, usersOfSessions } from '../callers/sessions.ts'
import { sessions } from '../database/schema/users.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './auth-context.ts'

/** Sessions in a list. A user may have more. */
const maxListed = 100
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** `GET /sessions`: where the user is signed in. `DELETE /sessions/:id`: ends one of these sessions. */
export function ownSessions(app: TypedApp, { database, clock, cookie }: AuthContext): void {
  const { maxAge, ...attributes } = cookie
  const onRequest = app.requireSession

  app.get(
    '/sessions',
    {
      onRequest,
      schema: {
        operationId: 'listSessions',
        summary: 'List the user’s sessions',
        description:
          'The current session comes first, then the most recently used ones: 100 at most. Each has a general description of its browser, and no client address.',
        response: answers({ 200: SessionsResponse })
      }
    },
    async (request) => {
      const { user, sessionHash } = callerOf(request)
      const rows = await database.orm
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, user.id), gt(sessions.idleEndsAt, clock())))
        .orderBy(desc(eq(sessions.tokenHash, sessionHash)), desc(sessions.lastUsedAt), sessions.id)
        .limit(maxListed)
      return {
        sessions: rows.map((row) => ({ ...toStoredSession(row), current: row.tokenHash === sessionHash }))
      }
    }
  )

  app.delete(
    '/sessions/:id',
    {
      onRequest,
      schema: {
        operationId: 'endSession',
        summary: 'Sign out one session',
        description:
          'Only for sessions of the user. After success the session no longer works. Ending the current session clears its cookie.',
        errors: ['not_found'],
        params: SessionParams,
        body: EmptyRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request, reply) => {
      const { user, sessionHash } = callerOf(request)
      const { params, ip } = request
      const userId = user.id
      if (!uuid.test(params.id)) throw new ServiceError('not_found')
      const at = clock()
      const ended = await database.orm.transaction(async (tx) => {
        const [row] = await tx
          .delete(sessions)
          .where(and(eq(sessions.id, params.id), eq(sessions.userId, userId), gt(sessions.idleEndsAt, at)))
          .returning({ id: sessions.id, tokenHash: sessions.tokenHash, browser: sessions.browser })
        if (row === undefined) throw new ServiceError('not_found')
        const { id, browser } = row
        const entry = { accountId: userId, actorId: userId, subject: id, detail: { browser }, ip, at }
        await recordAudit(tx, { ...entry, action: 'auth.session_ended' })
        return row
      })
      if (ended.tokenHash === sessionHash) reply.clearCookie(sessionCookie, attributes)
      return { ok: true as const }
    }
  )
}

/** A session as it is stored, without its token. */
export const toStoredSession = ({ id, browser, createdAt, lastUsedAt, idleEndsAt }: typeof sessions.$inferSelect) => ({
  id,
  browser,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt.toISOString(),
  ends_at: idleEndsAt.toISOString()
})

/**
 * `POST /signout`: closes the session, or all the user's sessions with `everywhere`, and clears the cookie. Without a
 * session it succeeds too.
 */
export function signout(app: TypedApp, { database, clock, cookie }: AuthContext): void {
  const { maxAge, ...attributes } = cookie
  app.post(
    '/signout',
    {
      schema: {
        operationId: 'signout',
        summary: 'Sign out, here or everywhere',
        description: 'Clears the session cookie. Without a session the call succeeds too.',
        body: SignoutRequest,
        response: answers({ 200: OkResponse })
      }
    },
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
