import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { AddressRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { Background } from '../background/after-answer.ts'
import { addressOf, findKnownBrowser } from '../callers/known-browser.ts'
import { createRateLimit, createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { FormProof } from '../identity/identity.ts'
import { createMailLimits } from '../signup/mailbox.ts'
import { findUnproved } from '../users/proof.ts'
import { type AuthContext, startMinResponseTime } from './auth-context.ts'
import { isAddress } from './credentials-form.ts'
import { proofOf } from './sign-in-settings.ts'

/**
 * `POST /forgot-password` and `POST /resend-confirmation` always give the same answer, and only then ask the provider
 * for the mail. So neither words nor time tell whether an address is known. If forms show a CAPTCHA, the answer comes
 * after a fixed time: the provider checks the CAPTCHA before the address, and can refuse it meanwhile.
 */
export function mailRequests(app: TypedApp, context: AuthContext, background: Background): void {
  const { limits, captcha, minResponseTimes } = context
  const countMail = createMailLimits(app, limits)

  /** @throws ServiceError `captcha_failed` */
  async function ask(what: string, task: () => Promise<void>): Promise<void> {
    if (captcha === null) return void background.run(what, task)
    const minTime = startMinResponseTime(minResponseTimes.registerMs)
    const refused = new Promise<never>((_, reject) => {
      background.run(what, () =>
        task().catch((error) => {
          if (error instanceof ServiceError && error.code === 'captcha_failed') reject(error)
          throw error
        })
      )
    })
    await Promise.race([minTime(), refused])
  }
  addForgotPassword(app, context, countMail, ask)
  addResendConfirmation(app, context, countMail, ask)
}

type CountMail = ReturnType<typeof createMailLimits>
/** Asks the provider for a mail, in the background. */
type Ask = (what: string, task: () => Promise<void>) => Promise<void>

function addForgotPassword(app: TypedApp, context: AuthContext, countMail: CountMail, ask: Ask): void {
  const { identity, database, clock, publicUrl, captcha } = context
  const findBrowser = findKnownBrowser(database, clock, publicUrl)
  const countRequest = createRateLimit(app, {
    what: 'forgot-password',
    perMinute: context.limits.forgotPassword,
    subjectOf: addressOf
  })
  const schema = {
    operationId: 'forgotPassword',
    summary: 'Request a mail with a link to set a new password',
    description:
      'Always gives the same answer at once, so that it does not reveal whether the address is known. If forms show a CAPTCHA, it comes after a second.',
    countsAttempts: true,
    errors: ['captcha_failed'],
    body: AddressRequest,
    response: answers({ 200: OkResponse })
  } as const
  app.post('/forgot-password', { schema }, async (request, reply) => {
    const { email } = request.body
    const { ip } = request
    const proof = proofOf(captcha, request.body)
    // A request over the limit gets the same answer, but no mail is sent.
    const isLimited = (await countRequest(request, reply)) !== null
    if (isLimited || !isAddress(email)) return { ok: true as const }
    const knownBrowser = await findBrowser(request)
    if ((await countMail(request, { kind: 'recovery', to: email, knownBrowser })) === null)
      await ask('forgot-password', () => identity.sendRecovery(email, ip, proof))
    return { ok: true as const }
  })
}

function addResendConfirmation(app: TypedApp, context: AuthContext, countMail: CountMail, ask: Ask): void {
  app.post(
    '/resend-confirmation',
    {
      preHandler: createRateLimitHook(app, {
        what: 'resend-confirmation',
        perMinute: context.limits.resendConfirmation,
        subjectOf: addressOf
      }),
      schema: {
        operationId: 'resendConfirmation',
        summary: 'Request another confirmation mail',
        description:
          'The answer is the same for every address. If the link was used up without a password, the mail has a link to set a new password.',
        isLimited: true,
        errors: ['captcha_failed'],
        body: AddressRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const { email } = request.body
      const { ip } = request
      const proof = proofOf(context.captcha, request.body)
      // Without a hint, as above.
      if (isAddress(email) && (await countMail(request, { kind: 'confirmation', to: email })) === null)
        await ask('resend-confirmation', () => resend(context, email, ip, proof))
      return { ok: true as const }
    }
  )
}

/**
 * The provider sends no confirmation mail to an address that it considers confirmed, for instance after a mail
 * scanner opened a link from its own templates. A user who has not proved the address here still needs a link. A link
 * to a new password proves address and password.
 */
async function resend(
  { identity, database }: AuthContext,
  email: string,
  from: string,
  proof: FormProof
): Promise<void> {
  await identity.resendConfirmation(email, from, proof)
  const unproved = await findUnproved(database.orm, email)
  if (unproved === null) return
  if (unproved.isConfirmed || (await identity.isConfirmed(unproved.userId))) await identity.sendRecovery(email, from)
}
