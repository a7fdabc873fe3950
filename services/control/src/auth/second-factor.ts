import {
  ChangeSecondFactorRequest,
  OkResponse,
  SecondFactorResponse,
  StartSecondFactorRequest,
  StartSecondFactorResponse
} from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AuditAction, recordAudit } from '../audit/record-audit.ts'
import { forgetBrowsers } from '../callers/known-browser.ts'
import { callerOf } from '../callers/session.ts'
import { sessionCookie } from '../callers/session-cookie.ts'
import { openSession } from '../callers/sessions.ts'
import { limitAttempts } from '../http/attempts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './auth-context.ts'
import { describeBrowser } from './describe-browser.ts'
import { withOwnPassword } from './own-password.ts'
import { endSignIns } from './password-set.ts'

/**
 * The second factor (TOTP), which the identity provider keeps: nothing of it is stored here. Each change needs the password
 * again, ends all of the user's sessions, and gives the session that asked a new id.
 *
 * `GET /second-factor`: whether it is on. `POST /second-factor`: makes a secret. `POST /second-factor/confirm`: turns it
 * on with the first code. `DELETE /second-factor`: turns it off.
 */
export function secondFactor(app: TypedApp, context: AuthContext): void {
  const { identity, limits, codes } = context
  const onRequest = app.requireSession
  const subjectOf = (request: FastifyRequest) => callerOf(request).user.id
  const mayRead = limitAttempts(app, { what: 'read-second-factor', perMinute: limits.changeUser, subjectOf })
  const preHandler = limitAttempts(app, { what: 'second-factor', perMinute: limits.secondFactor, subjectOf })
  const change = { body: ChangeSecondFactorRequest, response: answers({ 200: OkResponse }) }

  app.get(
    '/second-factor',
    { onRequest, preHandler: mayRead, schema: { response: answers({ 200: SecondFactorResponse }) } },
    async (request) => ({ enabled: await identity.hasSecondFactor(callerOf(request).user.id) })
  )

  app.post(
    '/second-factor',
    {
      onRequest,
      preHandler,
      schema: { body: StartSecondFactorRequest, response: answers({ 200: StartSecondFactorResponse }) }
    },
    async (request) => {
      const limit = identity.startLimit()
      return withOwnPassword(identity, callerOf(request).user.id, limit, (email) =>
        identity.startSecondFactor(email, request.body.password, request.ip, limit)
      )
    }
  )

  app.post('/second-factor/confirm', { onRequest, preHandler, schema: change }, async (request, reply) => {
    const { password, code } = request.body
    const limit = identity.startLimit()
    await withOwnPassword(identity, callerOf(request).user.id, limit, (email) =>
      identity.confirmSecondFactor(email, password, codes.ask(request, code), request.ip, limit)
    )
    await wasChanged(context, request, reply, 'auth.second_factor_on')
    return { ok: true as const }
  })

  app.delete('/second-factor', { onRequest, preHandler, schema: change }, async (request, reply) => {
    const { password, code } = request.body
    const limit = identity.startLimit()
    await withOwnPassword(identity, callerOf(request).user.id, limit, (email) =>
      identity.removeSecondFactor(email, password, codes.ask(request, code), request.ip, limit)
    )
    await wasChanged(context, request, reply, 'auth.second_factor_off')
    return { ok: true as const }
  })
}

/** Ends all sessions and sign-ins under way, forgets known browsers, and opens a new session for the caller. */
async function wasChanged(
  { database, clock, cookie }: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  action: AuditAction
): Promise<void> {
  const { id } = callerOf(request).user
  const at = clock()
  const token = await database.orm.transaction(async (tx) => {
    await endSignIns(tx, id)
    // Each has attempts of its own: browsers that only knew the password must not guess codes with theirs.
    await forgetBrowsers(tx, id)
    await recordAudit(tx, { accountId: id, actorId: id, action, ip: request.ip, at })
    return openSession(tx, id, describeBrowser(request.headers['user-agent']), at)
  })
  reply.setCookie(sessionCookie, token, cookie)
}
