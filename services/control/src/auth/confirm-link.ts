import { ConfirmQuery } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { Type } from 'typebox'
import type { TypedApp } from '../http/typed-app.ts'

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
