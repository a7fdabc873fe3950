import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { LoginCodeRequest, LoginRequest, UserResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyRequest } from 'fastify'
import { findKnownBrowser, signInSubject } from '../callers/known-browser.ts'
import { databaseTime } from '../clocks/clock.ts'
import { foldCase } from '../http/fold-case.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AskCode, CheckedUser, FormProof } from '../identity/identity.ts'
import { isDeleted, maySignIn, noteConfirmed } from '../users/proof.ts'
import { type AuthContext, startMinResponseTime } from './auth-context.ts'
import { completeProviderSignIn, takeOverUser } from './complete-provider-sign-in.ts'
import { pendingCookie, pendingCookieAttributes, presentedPending } from './provider-cookies.ts'
import { isPasswordUnchanged } from './revoke-old-access.ts'
import { signIn } from './sign-in.ts'
import { proofOf } from './sign-in-settings.ts'

/**
 * `POST /login`: checks the password, and the code of a user with a second factor. Then it updates user and account,
 * and opens a session.
 */
export function login(app: TypedApp, context: AuthContext): void {
  const { database, clock, limits, codes, guesses, publicUrl, captcha } = context
  const findKnown = findKnownBrowser(database, clock, publicUrl)
  const subjectOf = signInSubject(database, clock, publicUrl)
  app.post(
    '/login',
    {
      preHandler: createRateLimitHook(app, { what: 'login', perMinute: limits.login, subjectOf }),
      schema: {
        operationId: 'login',
        summary: 'Sign in',
        description:
          'Sets the session cookie, and ends the session that the request was sent with. Also sets a cookie that identifies the browser: attempts from a browser that signed in before are counted separately. A user with a second factor also needs `code`: six digits from their authenticator app. Each code works once, and a user can try ten codes an hour.',
        isLimited: true,
        errors: [
          'invalid_credentials',
          'second_factor_required',
          'invalid_code',
          'second_factor_unavailable',
          'email_not_confirmed',
          'captcha_failed',
          'identity_unavailable'
        ],
        body: LoginRequest,
        response: answers({ 200: UserResponse })
      }
    },
    async (request, reply) => {
      const { code } = request.body
      const proof = proofOf(captcha, request.body)
      const checkedAt = await databaseTime(database.orm)
      const askCode = codes.ask(request, code, () => findKnown(request))
      const user = await guesses.limit(await subjectOf(request), request.body, () =>
        checkPassword(context, request, askCode, proof)
      )
      if (!(await maySignIn(database.orm, user))) {
        await database.orm.transaction(async (tx) => {
          // The user was deleted while the provider checked the password.
          if (await isDeleted(tx, user.id)) throw new ServiceError('invalid_credentials')
          // From now on, resend-confirmation also mails this user a link to a new password.
          await noteConfirmed(tx, user, clock())
        })
        throw new ServiceError('email_not_confirmed')
      }
      return signIn(context, request, reply, {
        user,
        now: clock(),
        // A user who is new here can only sign in if an operator created them.
        isCreatedByOperator: user.isConfirmedByOperator,
        decide: async (tx, isOurs) => {
          // The user was deleted, or got another password, while the provider checked this one.
          if (!isOurs || !(await isPasswordUnchanged(tx, user.id, checkedAt)))
            throw new ServiceError('invalid_credentials')
        }
      })
    }
  )
}

async function checkPassword(
  { identity, minResponseTimes }: AuthContext,
  { body, ip }: FastifyRequest,
  askCode: AskCode,
  proof: FormProof
): Promise<CheckedUser> {
  const { email, password } = body as LoginRequest
  const minTime = startMinResponseTime(minResponseTimes.refusedLoginMs)
  try {
    return await identity.signIn(email, password, ip, undefined, askCode, proof)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_credentials') await minTime()
    throw error
  }
}

/** `POST /login/code`: ends a sign-in with a provider that needs the code of the second factor. */
export function loginCode(app: TypedApp, context: AuthContext): void {
  const { identity, clock, codes, guesses, limits, pendings, publicUrl } = context
  const { maxAge, ...attributes } = pendingCookieAttributes(publicUrl)
  app.post(
    '/login/code',
    {
      preHandler: createRateLimitHook(app, { what: 'login-code', perMinute: limits.login }),
      schema: {
        operationId: 'enterLoginCode',
        summary: 'Enter the code of the second factor after a sign-in with a provider',
        description:
          'Ends a sign-in that `GET /api/auth/callback` began for a user with a second factor, in the same browser and within ten minutes. Sets the session cookie.',
        isLimited: true,
        errors: [
          'not_authenticated',
          'invalid_code',
          'second_factor_unavailable',
          'identity_unavailable',
          'revocation_pending'
        ],
        body: LoginCodeRequest,
        response: answers({ 200: UserResponse })
      }
    },
    async (request, reply) => {
      const pending = presentedPending(request.headers.cookie, publicUrl, pendings, clock())
      if (pending === null) throw new ServiceError('not_authenticated')
      const deadline = identity.startDeadline()
      const askCode = codes.ask(request, request.body.code)
      const user = await guesses.limit(`provider sign-ins of ${pending.userId}`, { id: pending.userId }, () =>
        identity.checkCode(pending.email, askCode, request.ip, deadline)
      )
      if (user.id !== pending.userId || user.isBanned || foldCase(user.email) !== foldCase(pending.email)) {
        throw new ServiceError('not_authenticated')
      }
      // Nothing to do unless the address was not proved before: then the callback replaced the password, too.
      const taken = await takeOverUser(context, user, deadline)
      if (taken === null) throw new ServiceError('not_authenticated')
      const { checkedAt } = pending
      const answer = await completeProviderSignIn(context, request, reply, { ...taken, checkedAt })
      reply.clearCookie(pendingCookie(publicUrl), attributes)
      return answer
    }
  )
}
