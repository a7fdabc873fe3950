import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { OkResponse, RegisterRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { addressOf } from '../callers/known-browser.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { createMailLimits } from '../signup/mailbox.ts'
import { noteRegistered } from '../users/proof.ts'
import { type AuthContext, startMinResponseTime } from './auth-context.ts'
import { checkNewPassword, isAddress } from './credentials-form.ts'
import { proofOf } from './sign-in-settings.ts'

const tooManyMails = 'Too many confirmation mails were sent to this address or from your network. Retry later.'

/** `POST /register`: creates a user; the provider sends the confirmation mail. It opens no session. */
export function register(app: TypedApp, context: AuthContext): void {
  const { identity, database, clock, minResponseTimes, limits, signupPolicy, countSignup, captcha } = context
  const countMail = createMailLimits(app, limits)
  app.post(
    '/register',
    {
      preHandler: createRateLimitHook(app, { what: 'register', perMinute: limits.register, subjectOf: addressOf }),
      schema: {
        operationId: 'register',
        summary: 'Create a user',
        description:
          'Mails a link to a page that asks for the password. The user can sign in after that. The answer is the same if the address is already registered.',
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
    async (request) => {
      const { email, password, name } = request.body
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
      return { ok: true as const }
    }
  )
}
