import { ConfirmQuery } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { Type } from 'typebox'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './endpoints.ts'
import { confirmationTypes } from './identity/identity.ts'

/**
 * Pages that use a link's token themselves, by a request of their own. It stands in the fragment of the address, which
 * browsers send to no server.
 */
const pages: ReadonlyMap<string, string> = new Map([
  ['recovery', '/reset-password'],
  ['invite', '/accept-invitation']
])

/**
 * `GET /confirm?token_hash&type`: the link of a mail. One that confirms an address is used up, and leads to the sign-in
 * page, which says how it went; nobody is signed in by it. Others lead to their pages unused. `HEAD`, which link scanners
 * send, leaves every link unused.
 */
export function confirm(app: TypedApp, { identity }: AuthContext): void {
  app.get(
    '/confirm',
    { exposeHeadRoute: false, schema: { querystring: ConfirmQuery, response: answers({ 303: Type.Null() }) } },
    async (request, reply) => {
      const { token_hash: tokenHash = '', type: given = '' } = request.query
      const page = pages.get(given)
      if (page !== undefined && tokenHash !== '') {
        return reply.redirect(`${page}#token_hash=${encodeURIComponent(tokenHash)}`, 303)
      }
      const type = confirmationTypes.find((known) => known === given)
      const isConfirmed =
        tokenHash !== '' && type !== undefined && (await identity.confirm(tokenHash, type, request.ip))
      return reply.redirect(isConfirmed ? '/login?confirmed=1' : '/login?error=link_invalid', 303)
    }
  )
  app.head('/confirm', async (_request, reply) => reply.redirect('/login', 303))
}
