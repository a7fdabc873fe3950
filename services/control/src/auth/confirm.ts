import { ConfirmQuery } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { Type } from 'typebox'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './endpoints.ts'
import { confirmationTypes } from './identity/identity.ts'

/**
 * `GET /confirm?token_hash&type`: the link of the confirmation mail. Redirects to the sign-in page, which says how it
 * went; nobody is signed in by it. `HEAD`, which link scanners send, leaves the link unused.
 */
export function confirm(app: TypedApp, { identity }: AuthContext): void {
  app.get(
    '/confirm',
    { exposeHeadRoute: false, schema: { querystring: ConfirmQuery, response: answers({ 303: Type.Null() }) } },
    async (request, reply) => {
      const { token_hash: tokenHash = '', type: given } = request.query
      const type = confirmationTypes.find((known) => known === given)
      const isConfirmed =
        tokenHash !== '' && type !== undefined && (await identity.confirm(tokenHash, type, request.ip))
      return reply.redirect(isConfirmed ? '/login?confirmed=1' : '/login?error=link_invalid', 303)
    }
  )
  app.head('/confirm', async (_request, reply) => reply.send())
}
