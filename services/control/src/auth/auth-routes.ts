import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { OkResponse, RegisterRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyInstance } from 'fastify'
import { createBackground } from '../background/after-answer.ts'
import { addressOf } from '../callers/known-browser.ts'
import { cookieAttributes } from '../callers/session-cookie.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { createMailLimits } from '../signup/mailbox.ts'
import { createSignupLimit } from '../signup/signup-policy.ts'
import { noteRegistered } from '../users/proof.ts'
import { type AuthContext, type AuthOptions, startMinResponseTime } from './auth-context.ts'
import { confirm, confirmLink } from './confirm.ts'
import { checkNewPassword, isAddress } from './credentials-form.ts'
import { login, loginCode } from './login.ts'
import { mailRequests } from './mail-requests.ts'
import { me } from './me.ts'
import { changePassword, reauthenticate } from './own-password.ts'
import { ownSessions, signout } from './own-sessions.ts'
import { createPendingSignIns } from './provider-cookies.ts'
import { providerSignIn } from './provider-sign-in.ts'
import { recoveryCodes } from './recovery-codes.ts'
import { createRegistrations, registrationCookie, registrationCookieAttributes } from './registration-cookie.ts'
import { resetPassword } from './reset-password.ts'
import { secondFactor } from './second-factor.ts'
import { createSecondFactorCodes } from './second-factor-codes.ts'
import { proofOf } from './sign-in-settings.ts'
import { createWrongGuesses } from './wrong-guesses.ts'

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
    registrations: createRegistrations(options.sharedSecret, options.publicUrl),
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
  recoveryCodes(typed, context)
}

const tooManyMails = 'Too many confirmation mails were sent to this address or from your network. Retry later.'

/** `POST /register`: creates a user; the provider sends the confirmation mail. It opens no session. */
function register(app: TypedApp, context: AuthContext): void {
  const { identity, database, clock, minResponseTimes, limits, signupPolicy, countSignup, captcha, publicUrl } = context
  const countMail = createMailLimits(app, limits)
  app.post(
    '/register',
    {
      preHandler: createRateLimitHook(app, { what: 'register', perMinute: limits.register, subjectOf: addressOf }),
      schema: {
        operationId: 'register',
        summary: 'Create a user',
        description:
          'Mails a link that confirms the address and signs in, with the password. With `remember`, a cookie keeps the password for the link, encrypted: then this browser need not ask for it. The answer is the same if the address is already registered.',
        isLimited: true,
        errors: [
          'invalid_email',
          'weak_password',
          'registration_closed',
          'address_not_allowed',
          'captcha_failed',
          'identity_unavailable'
        ],
        body: RegisterRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request, reply) => {
      const { email, password, name, remember = false } = request.body
      if (!isAddress(email)) throw new ServiceError('invalid_email')
      checkNewPassword(password, context.minPasswordLength, [email, name])
      signupPolicy.assertMayRegister(email)
      const proof = proofOf(captcha, request.body)
      const retryAfter = await countMail(request, { kind: 'confirmation', to: email })
      if (retryAfter !== null) throw new ServiceError('too_many_requests', { message: tooManyMails, retryAfter })
      await countSignup(request)
      const minTime = startMinResponseTime(minResponseTimes.registerMs)
      try {
        const user = await identity.register({ email, password, name }, request.ip, proof)
        await noteRegistered(database.orm, user, clock())
      } finally {
        await minTime()
      }
      if (remember) {
        const kept = context.registrations.write({ email, password }, clock())
        reply.setCookie(registrationCookie(publicUrl), kept, registrationCookieAttributes(publicUrl))
      }
      return { ok: true as const }
    }
  )
}
