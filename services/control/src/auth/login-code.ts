import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { LoginCodeRequest, UserResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { foldCase } from '../http/fold-case.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './auth-context.ts'
import { completeProviderSignIn } from './complete-provider-sign-in.ts'
import { pendingCookie, pendingCookieAttributes, presentedPending } from './pending-sign-in.ts'
import { takeOverUser } from './take-over-user.ts'

/** `POST /login/code`: ends a sign-in with a provider that needs the code of the second factor. */
export function loginCode(app: TypedApp, context: AuthContext): void {
  const { identity, clock, codes, guesses, limits, pendings, publicUrl } = context
  const { maxAge, ...attributes } = pendingCookieAttributes(publicUrl)
  app.post(
    '/login/code',
    {
      preHandler: createRateLimitHook(app, { what: 'login-code', perMinute: limits.login }),
      schema: { body: LoginCodeRequest, response: answers({ 200: UserResponse }) }
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
