import {
  ChangeSecondFactorRequest,
  OkResponse,
  SecondFactorResponse,
  StartSecondFactorRequest,
  StartSecondFactorResponse
} from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type AuditAction, recordAudit } from '../audit/record-audit.ts'
import { forgetBrowsers } from '../callers/known-browser.ts'
import { callerOf } from '../callers/session.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { Identity } from '../identity/identity.ts'
import type { AuthContext } from './auth-context.ts'
import { endSignIns } from './end-sign-ins.ts'
import { withOwnPassword } from './own-password.ts'
import { renewSession } from './renew-session.ts'

/**
 * The second factor (TOTP). Only the identity provider stores it. Each change needs the password again and ends all the user's
 * sessions; the caller gets a new one.
 *
 * `GET /second-factor`: whether it is on. `POST /second-factor`: makes a secret. `POST /second-factor/confirm`: turns it
 * on with the first code. `DELETE /second-factor`: turns it off.
 */
export function secondFactor(app: TypedApp, context: AuthContext): void {
  const { identity, limits, codes } = context
  const onRequest = app.requireSession
  const subjectOf = (request: FastifyRequest) => callerOf(request).user.id
  const mayRead = createRateLimitHook(app, { what: 'read-second-factor', perMinute: limits.changeUser, subjectOf })
  const preHandler = createRateLimitHook(app, { what: 'second-factor', perMinute: limits.secondFactor, subjectOf })
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
      const deadline = identity.startDeadline()
      return withOwnPassword(identity, callerOf(request).user.id, deadline, (email) =>
        identity.startSecondFactor(email, request.body.password, request.ip, deadline)
      )
    }
  )

  const changed = async (
    request: FastifyRequest<{ Body: Static<typeof ChangeSecondFactorRequest> }>,
    reply: FastifyReply,
    action: AuditAction,
    change: Identity['confirmSecondFactor' | 'removeSecondFactor']
  ) => {
    const { password, code } = request.body
    const deadline = identity.startDeadline()
    await withOwnPassword(identity, callerOf(request).user.id, deadline, (email) =>
      change(email, password, codes.ask(request, code), request.ip, deadline)
    )
    await completeChange(context, request, reply, action)
    return { ok: true as const }
  }

  app.post('/second-factor/confirm', { onRequest, preHandler, schema: change }, (request, reply) =>
    changed(request, reply, 'auth.second_factor_on', identity.confirmSecondFactor)
  )

  app.delete('/second-factor', { onRequest, preHandler, schema: change }, (request, reply) =>
    changed(request, reply, 'auth.second_factor_off', identity.removeSecondFactor)
  )
}

/** Ends all sessions and pending sign-ins, forgets known browsers, and opens a new session for the caller. */
function completeChange(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  action: AuditAction
): Promise<void> {
  const { id } = callerOf(request).user
  return renewSession(context, request, reply, async (tx, at) => {
    await endSignIns(tx, id)
    // Each known browser has its own attempts. A browser that knew only the password must not guess codes with them.
    await forgetBrowsers(tx, id)
    await recordAudit(tx, { accountId: id, actorId: id, action, ip: request.ip, at })
  })
}
