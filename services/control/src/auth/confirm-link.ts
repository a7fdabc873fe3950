import { ConfirmQuery } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { Type } from 'typebox'
import type { TypedApp } from '../http/typed-app.ts'

/** Pages of the dashboard that ask for a password, by the type of the link. */
const pages: ReadonlyMap<string, string> = new Map([
  ['signup', '/confirm'],
  ['email', '/confirm'],
  ['recovery', '/reset-password'],
  ['invite', '/accept-invitation']
])

/**
 * `GET /confirm?token_hash&type`: the link of a mail. It leads to a page and changes nothing, since mail scanners open
 * links too. The token stands in the fragment of the page's address, which browsers send to no server.
 */
export function confirmLink(app: TypedApp): void {
  app.get(
    '/confirm',
    { schema: { querystring: ConfirmQuery, response: answers({ 303: Type.Null() }) } },
    async (request, reply) => {
      const { token_hash: tokenHash = '', type = '' } = request.query
      const page = pages.get(type)
      if (page === undefined || tokenHash === '') return reply.redirect('/login?error=link_invalid', 303)
      return reply.redirect(`${page}#${new URLSearchParams({ token_hash: tokenHash, type })}`, 303)
    }
  )
}
