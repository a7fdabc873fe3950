import type { FastifyInstance } from 'fastify'
import { pagePolicy, renderPage } from './page.ts'
import { signInCommand } from './sign-in-page.ts'

/**
 * `/invitations/:token`: where the link of an invitation leads, for people who have a password here and for those who are
 * to choose one, with the token that the mail has put into the fragment of the address. It is the same for every token.
 *
 * @param publicUrl an origin
 */
export function invitationPage(app: FastifyInstance, publicUrl: string): void {
  const page = renderPage(
    'You have been invited to a team',
    'Sign in with the address that was invited, and accept: the token of the invitation is the last part of the path of this page’s address. If you came here from a mail and have no password yet, choose one first with the token after the #.',
    `curl -H 'content-type: application/json' \\
  -d '{"token_hash":"…","password":"…"}' ${publicUrl}/api/auth/reset-password
${signInCommand(publicUrl)}
curl -b cookies.txt -X POST ${publicUrl}/api/team/invitations/…/accept`
  )
  app.get('/invitations/:token', (_request, reply) => {
    reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page)
  })
}
