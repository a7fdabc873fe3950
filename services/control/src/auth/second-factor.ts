import {
  ConfirmSecondFactorRequest,
  ConfirmSecondFactorResponse,
  OkResponse,
  RemoveSecondFactorRequest,
  SecondFactorResponse,
  StartSecondFactorRequest,
  StartSecondFactorResponse
} from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordAudit } from '../audit/record-audit.ts'
import { forgetBrowsers } from '../callers/known-browser.ts'
import { callerOf } from '../callers/session.ts'
import type { Transaction } from '../database/connect.ts'
import { createRateLimitHook, type RateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AskCode } from '../identity/identity.ts'
import type { AuthContext } from './auth-context.ts'
import { withOwnPassword } from './own-password.ts'
import { endSignIns } from './revoke-old-access.ts'
import { countRecoveryCodes, forgetRecoveryCodes, replaceRecoveryCodes } from './second-factor-codes.ts'
import { renewSession } from './sign-in.ts'

/** After a sign-in with a recovery code: how long that session may turn the second factor off without another code. */
const recoveredMs = 3_600_000

/**
 * The second factor (TOTP). Only the identity provider stores it. Each change needs the password again and ends all the
 * user's sessions; the caller gets a new one.
 *
 * `GET /second-factor`: whether it is on. `POST /second-factor`: makes a secret. `POST /second-factor/confirm`: turns
 * it on with the first code. `DELETE /second-factor`: turns it off.
 */
export function secondFactor(app: TypedApp, context: AuthContext): void {
  const { limits } = context
  const countChange = createRateLimitHook(app, { what: 'second-factor', perMinute: limits.secondFactor, subjectOf })
  addRead(app, context)
  addStart(app, context, countChange)
  addConfirm(app, context, countChange)
  addRemove(app, context, countChange)
}

function addRead(app: TypedApp, { identity, database, clock, limits }: AuthContext): void {
  app.get(
    '/second-factor',
    {
      onRequest: app.requireSession,
      preHandler: createRateLimitHook(app, {
        what: 'read-second-factor',
        perMinute: limits.changeUser,
        subjectOf
      }),
      schema: {
        operationId: 'getSecondFactor',
        summary: 'Get whether the second factor is on, and how many recovery codes are left',
        isLimited: true,
        errors: ['identity_unavailable'],
        response: answers({ 200: SecondFactorResponse })
      }
    },
    async (request) => {
      const { id } = callerOf(request).user
      return {
        enabled: await identity.hasSecondFactor(id),
        recovery_codes_left: await countRecoveryCodes(database.orm, id),
        recovered: isRecovered(request, clock())
      }
    }
  )
}

function addStart(app: TypedApp, context: AuthContext, countChange: RateLimitHook): void {
  const { identity } = context
  app.post(
    '/second-factor',
    {
      onRequest: app.requireSession,
      preHandler: countChange,
      schema: {
        operationId: 'startSecondFactor',
        summary: 'Create a second factor',
        description:
          'Takes the password and returns a TOTP secret for an authenticator app. Sign-ins ask for its codes after `POST /api/auth/second-factor/confirm` has turned it on. A new secret replaces an unconfirmed one.',
        isLimited: true,
        errors: [
          'wrong_password',
          'second_factor_enabled',
          'second_factor_unavailable',
          'email_not_confirmed',
          'identity_unavailable'
        ],
        body: StartSecondFactorRequest,
        response: answers({ 200: StartSecondFactorResponse })
      }
    },
    async (request) => {
      const deadline = identity.startDeadline()
      return withOwnPassword(context, request, deadline, (email) =>
        identity.startSecondFactor(email, request.body.password, request.ip, deadline)
      )
    }
  )
}

function addConfirm(app: TypedApp, context: AuthContext, countChange: RateLimitHook): void {
  const { identity, codes } = context
  app.post(
    '/second-factor/confirm',
    {
      onRequest: app.requireSession,
      preHandler: countChange,
      schema: {
        operationId: 'confirmSecondFactor',
        summary: 'Turn the second factor on',
        description:
          'Takes the password and a code from the new secret. Ends all other sessions of the user. Returns ten recovery codes; nobody can read them later.',
        isLimited: true,
        errors: [
          'wrong_password',
          'invalid_code',
          'no_second_factor',
          'second_factor_enabled',
          'second_factor_unavailable',
          'email_not_confirmed',
          'identity_unavailable'
        ],
        body: ConfirmSecondFactorRequest,
        response: answers({ 200: ConfirmSecondFactorResponse })
      }
    },
    async (request, reply) => {
      const { password, code } = request.body
      const { id } = callerOf(request).user
      const deadline = identity.startDeadline()
      await withOwnPassword(context, request, deadline, (email) =>
        identity.confirmSecondFactor(email, password, codes.ask(request, code), request.ip, deadline)
      )
      let recoveryCodes: string[] = []
      await completeChange(context, request, reply, 'auth.second_factor_on', async (tx, at) => {
        recoveryCodes = await replaceRecoveryCodes(tx, id, at)
      })
      return { ok: true as const, recovery_codes: recoveryCodes }
    }
  )
}

function addRemove(app: TypedApp, context: AuthContext, countChange: RateLimitHook): void {
  const { identity, clock, codes } = context
  app.delete(
    '/second-factor',
    {
      onRequest: app.requireSession,
      preHandler: countChange,
      schema: {
        operationId: 'removeSecondFactor',
        summary: 'Turn the second factor off',
        description:
          'Takes the password and a code, or a recovery code. A session that began with a recovery code needs no code in its first hour. Ends all other sessions of the user.',
        isLimited: true,
        errors: [
          'wrong_password',
          'second_factor_required',
          'invalid_code',
          'no_second_factor',
          'second_factor_unavailable',
          'email_not_confirmed',
          'identity_unavailable'
        ],
        body: RemoveSecondFactorRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request, reply) => {
      const { password, code } = request.body
      const { id } = callerOf(request).user
      const deadline = identity.startDeadline()
      const askCode: AskCode =
        code === undefined && isRecovered(request, clock()) ? async () => null : codes.ask(request, code)
      await withOwnPassword(context, request, deadline, (email) =>
        identity.removeSecondFactor(email, password, askCode, request.ip, deadline)
      )
      await completeChange(context, request, reply, 'auth.second_factor_off', (tx) => forgetRecoveryCodes(tx, id))
      return { ok: true as const }
    }
  )
}

const subjectOf = (request: FastifyRequest): string => callerOf(request).user.id

/** Whether the session began with a recovery code, less than an hour ago. */
function isRecovered(request: FastifyRequest, now: Date): boolean {
  const { isRecovered, openedAt } = callerOf(request)
  return isRecovered && now.getTime() - openedAt.getTime() < recoveredMs
}

/** Ends all sessions and pending sign-ins, forgets known browsers, and opens a new session for the caller. */
function completeChange(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  action: 'auth.second_factor_on' | 'auth.second_factor_off',
  alsoChange: (tx: Transaction, at: Date) => Promise<void>
): Promise<void> {
  const { id } = callerOf(request).user
  const isOn = action === 'auth.second_factor_on'
  const change = async (tx: Transaction, at: Date) => {
    await endSignIns(tx, id)
    // Each known browser has its own attempts. A browser that knew only the password must not guess codes with them.
    await forgetBrowsers(tx, id)
    await alsoChange(tx, at)
    await recordAudit(tx, { accountId: id, actorId: id, action, ip: request.ip, at })
  }
  // The caller has just given password and code.
  return renewSession(context, request, reply, change, (at) => ({ at, codeAt: isOn ? at : null }))
}
