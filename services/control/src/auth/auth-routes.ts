import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  ConfirmQuery,
  LoginCodeRequest,
  OkResponse,
  SignoutRequest,
  UserResponse
} from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { recordAudit } from '../audit/record-audit.ts'
import { createBackground } from '../background/after-answer.ts'
import { cookieAttributes, presentedSessions, sessionCookie } from '../callers/session-cookie.ts'
import { closeSessions, endSessions, usersOfSessions } from '../callers/sessions.ts'
import { foldCase } from '../http/fold-case.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { createSignupLimit } from '../signup/signup-policy.ts'
import type { AuthContext, AuthOptions } from './auth-context.ts'
import { completeProviderSignIn, takeOverUser } from './complete-provider-sign-in.ts'
import { confirm } from './confirm.ts'
import { login } from './login.ts'
import { mailRequests } from './mail-requests.ts'
import { me } from './me.ts'
import { changePassword, reauthenticate } from './own-password.ts'
import { ownSessions } from './own-sessions.ts'
import { createPendingSignIns, pendingCookie, pendingCookieAttributes, presentedPending } from './provider-cookies.ts'
import { providerSignIn } from './provider-sign-in.ts'
import { recoveryCodeEndpoint } from './recovery-code-endpoint.ts'
import { register } from './register.ts'
import { resetPassword } from './reset-password.ts'
import { secondFactor } from './second-factor.ts'
import { createSecondFactorCodes } from './second-factor-codes.ts'
import { createWrongGuesses } from './wrong-guesses.ts'

/** The dashboard pages that ask for a password, by link type. */
const pages: ReadonlyMap<string, string> = new Map([
  ['signup', '/confirm'],
  ['email', '/confirm'],
  ['recovery', '/reset-password'],
  ['invite', '/accept-invitation']
])

/**
 * `GET /confirm?token_hash&type`: the link in a mail. It redirects to a page and changes nothing, because mail scanners open
 * links too. The token goes into the fragment of the page's address: browsers send fragments to no server.
 */
function confirmLink(app: TypedApp): void {
  app.get(
    '/confirm',
    {
      schema: {
        operationId: 'openMailedLink',
        summary: 'Open the link in a mail',
        description:
          'Redirects to the page that asks for the password, with the token in the fragment. Changes nothing.',
        querystring: ConfirmQuery,
        response: answers({ 303: Type.Null() })
      }
    },
    async (request, reply) => {
      const { token_hash: tokenHash = '', type = '' } = request.query
      const page = pages.get(type)
      if (page === undefined || tokenHash === '') return reply.redirect('/login?error=link_invalid', 303)
      return reply.redirect(`${page}#${new URLSearchParams({ token_hash: tokenHash, type })}`, 303)
    }
  )
}

/** `/api/auth/*` */
export async function authRoutes(app: FastifyInstance, options: AuthOptions): Promise<void> {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const background = createBackground(app.log)
  // Background work of answered requests finishes first. What it needs is closed later.
  app.addHook('onClose', () => background.ended())
  const context = {
    ...options,
    cookie: cookieAttributes(options.publicUrl, options.serviceDomain),
    pendings: createPendingSignIns(options.sharedSecret),
    countSignup: createSignupLimit(app, options.signup),
    codes: createSecondFactorCodes(app, options),
    guesses: createWrongGuesses(app, options)
  }
  register(typed, context)
  confirmLink(typed)
  confirm(typed, context)
  login(typed, context)
  providerSignIn(typed, context)
  loginCode(typed, context)
  signout(typed, context)
  me(typed, context)
  ownSessions(typed, context)
  mailRequests(typed, context, background)
  resetPassword(typed, context)
  changePassword(typed, context)
  reauthenticate(typed, context)
  secondFactor(typed, context)
  recoveryCodeEndpoint(typed, context)
}

/**
 * `POST /signout`: closes the session, or all the user's sessions with `everywhere`, and clears the cookie. Without a
 * session it succeeds too.
 */
function signout(app: TypedApp, { database, clock, cookie }: AuthContext): void {
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

/** `POST /login/code`: ends a sign-in with a provider that needs the code of the second factor. */
function loginCode(app: TypedApp, context: AuthContext): void {
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
