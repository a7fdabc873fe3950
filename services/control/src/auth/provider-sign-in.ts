import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  type ProviderAnswer,
  ProviderAnswerQuery,
  ProviderParams,
  ProviderQuery
} from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { defaultPage, firstPage, returnPath } from '@tollgate/contracts/http/return-path.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { databaseTime } from '../clocks/clock.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { isOurUser } from '../users/proof.ts'
import type { AuthContext } from './auth-context.ts'
import { completeProviderSignIn, takeOverUser } from './complete-provider-sign-in.ts'
import {
  challengeOf,
  newVisit,
  pendingCookie,
  pendingCookieAttributes,
  readVisit,
  visitCookie,
  visitCookieAttributes,
  writeVisit
} from './provider-cookies.ts'

/** Why a sign-in with a provider failed. The sign-in page explains each. */
export type ProviderFailure =
  | 'provider_denied'
  | 'provider_expired'
  | 'provider_failed'
  | 'provider_address'
  | 'provider_closed'
  | 'identity_unavailable'
  | 'too_many_requests'

/**
 * Sign-in with a provider such as GitHub, through Supabase Auth with PKCE.
 *
 * `GET /providers/:provider` leads to the provider's page. `GET /callback` exchanges the code that comes back. It signs
 * the user in, or leads to the page that asks for the code of their second factor. Browsers open both, so failures lead
 * to the sign-in page.
 */
export function providerSignIn(app: TypedApp, context: AuthContext): void {
  const { identity, providers, limits, publicUrl } = context
  const count = createRateLimit(app, { what: 'provider-sign-in', perMinute: limits.providerSignIn })
  const isLimited = async (request: FastifyRequest, reply: FastifyReply) => (await count(request, reply)) !== null
  const { maxAge, ...attributes } = visitCookieAttributes(publicUrl)

  app.get(
    '/providers/:provider',
    {
      schema: {
        countsAttempts: true,
        operationId: 'startProviderSignIn',
        summary: 'Sign in with a provider such as GitHub',
        description:
          'For browsers: redirects to the page of a provider of `AUTH_PROVIDERS`, and sets a cookie that only this browser can end the sign-in with. `next` is the page of the dashboard to open afterwards.',
        errors: ['not_found'],
        params: ProviderParams,
        querystring: ProviderQuery,
        response: answers({ 303: Type.Null() })
      }
    },
    async (request, reply) => {
      const { provider } = request.params
      const next = returnPath(request.query.next)
      if (!providers.includes(provider)) throw new ServiceError('not_found')
      if (await isLimited(request, reply)) return toSignIn(reply, 'too_many_requests', next)
      const visit = newVisit(next)
      reply.setCookie(visitCookie(publicUrl), writeVisit(visit), {
        ...attributes,
        ...(maxAge !== undefined && { maxAge })
      })
      const target = `${publicUrl}/api/auth/callback?state=${visit.state}`
      return reply.redirect(identity.providerPage(provider, challengeOf(visit), target), 303)
    }
  )

  app.get(
    '/callback',
    {
      schema: {
        countsAttempts: true,
        operationId: 'endProviderSignIn',
        summary: 'Return from a sign-in provider',
        description:
          'Signs the user in and sets the session cookie. Redirects to the dashboard, for a new user to their first key, or to the page that asks for the code of the second factor. After a failure it redirects to the sign-in page with `error`. Works once, in the browser that began the sign-in.',
        querystring: ProviderAnswerQuery,
        response: answers({ 303: Type.Null() })
      }
    },
    async (request, reply) => {
      const { query, headers } = request
      const visit = readVisit(headers.cookie, publicUrl, query.state ?? '')
      if (visit === null) return toSignIn(reply, 'provider_expired')
      // Each visit ends once.
      reply.clearCookie(visitCookie(publicUrl), attributes)
      const next = returnPath(visit.next)
      const fail = (why: ProviderFailure) => toSignIn(reply, why, next)
      if (query.code === undefined) return fail(failureOf(query))
      if (await isLimited(request, reply)) return fail('too_many_requests')
      try {
        const outcome = await exchange(context, request, reply, query.code, visit.verifier)
        if (outcome === 'registered') return reply.redirect(next === defaultPage ? firstPage : next, 303)
        if (outcome === 'signed_in') return reply.redirect(next, 303)
        if (outcome !== 'second_factor_required') return fail(outcome)
        return reply.redirect(`/login?${new URLSearchParams({ code: 'required', next })}`, 303)
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        request.log.warn({ err: error }, 'a sign-in with a provider failed')
        const { code } = error
        if (code === 'registration_closed' || code === 'address_not_allowed') return fail('provider_closed')
        return fail(code === 'identity_unavailable' || code === 'too_many_requests' ? code : 'provider_failed')
      }
    }
  )
}

type Outcome = 'signed_in' | 'registered' | 'second_factor_required' | ProviderFailure

async function exchange(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  code: string,
  verifier: string
): Promise<Outcome> {
  const { identity, database, clock, pendings, publicUrl, signupPolicy, countSignup } = context
  const deadline = identity.startDeadline()
  const user = await identity.acceptProviderCode(code, verifier, request.ip, deadline)
  if (user === null || user.isBanned) return 'provider_expired'
  if (!user.isAddressVerified) return 'provider_address'
  const isNew = !(await isOurUser(database.orm, user.id))
  if (isNew) {
    await signupPolicy.assertMayBegin(database.orm, user.email, clock())
    await countSignup(request)
  }
  const taken = await takeOverUser(context, user, deadline)
  if (taken === null) return 'provider_failed'
  const checkedAt = await databaseTime(database.orm)
  if (await identity.hasSecondFactor(user.id, deadline)) {
    const pending = pendings.write({ userId: user.id, email: user.email, checkedAt }, clock())
    reply.setCookie(pendingCookie(publicUrl), pending, pendingCookieAttributes(publicUrl))
    return 'second_factor_required'
  }
  await completeProviderSignIn(context, request, reply, { ...taken, checkedAt })
  return isNew ? 'registered' : 'signed_in'
}

/** Why Supabase Auth or the provider sent the browser back without a code. */
function failureOf({ error, error_code: code }: ProviderAnswer): ProviderFailure {
  if (code === 'provider_email_needs_verification') return 'provider_address'
  if (code === 'signup_disabled') return 'provider_closed'
  if (code === 'flow_state_expired' || code === 'bad_oauth_state') return 'provider_expired'
  return error === 'access_denied' && code !== 'user_banned' ? 'provider_denied' : 'provider_failed'
}

const toSignIn = (reply: FastifyReply, error: ProviderFailure, next = defaultPage) =>
  reply.redirect(`/login?${new URLSearchParams({ error, ...(next !== defaultPage && { next }) })}`, 303)
