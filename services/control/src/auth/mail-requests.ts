import { AddressRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { attemptLimit, limitAttempts } from '../http/attempts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { Background } from './background.ts'
import { isAddress } from './credentials-form.ts'
import type { AuthContext } from './endpoints.ts'
import { findUnproved } from './proof.ts'
import { addressOf } from './request-address.ts'

/**
 * `POST /forgot-password` and `POST /resend-confirmation`: answer first, always the same, and only then ask the provider
 * for the mail, so that neither words nor time tell whether an address is known.
 */
export function mailRequests(app: TypedApp, context: AuthContext, background: Background): void {
  const { identity, database, limits } = context
  const schema = { body: AddressRequest, response: answers({ 200: OkResponse }) }

  const countForgotten = attemptLimit(app, {
    what: 'forgot-password',
    perMinute: limits.forgotPassword,
    subjectOf: addressOf
  })
  app.post('/forgot-password', { schema }, async (request, reply) => {
    const { email } = request.body
    const { ip } = request
    // One too many looks like any other, but has no mail sent.
    const isLimited = (await countForgotten(request, reply)) !== null
    if (!isLimited && isAddress(email)) background.run('forgot-password', () => identity.sendRecovery(email, ip))
    return { ok: true as const }
  })

  /**
   * The provider mails nothing more for an address that it considers confirmed, as after a mail scanner opened a link of its
   * own templates. Somebody who has not proved the address here needs a link all the same: that to a new password proves both.
   */
  async function resend(email: string, from: string): Promise<void> {
    await identity.resendConfirmation(email, from)
    const unproved = await findUnproved(database.orm, email)
    if (unproved === null) return
    if (unproved.isConfirmed || (await identity.isConfirmed(unproved.userId))) await identity.sendRecovery(email, from)
  }

  app.post(
    '/resend-confirmation',
    {
      preHandler: limitAttempts(app, {
        what: 'resend-confirmation',
        perMinute: limits.resendConfirmation,
        subjectOf: addressOf
      }),
      schema
    },
    async (request) => {
      const { email } = request.body
      const { ip } = request
      if (isAddress(email)) background.run('resend-confirmation', () => resend(email, ip))
      return { ok: true as const }
    }
  )
}
