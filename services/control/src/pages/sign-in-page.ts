import type { FastifyInstance } from 'fastify'
import { pagePolicy, renderPage } from './page.ts'

/**
 * `/` and `/login`: one page without scripts that says where a person stands, for instance after the link in the
 * confirmation mail, and how to go on. Nothing of the request but the two outcomes that are known gets into it.
 *
 * @param publicUrl an origin
 */
export function signInPage(app: FastifyInstance, publicUrl: string): void {
  const commands = `${signInCommand(publicUrl)}
curl -b cookies.txt ${publicUrl}/api/auth/me`
  const pages = {
    confirmed: renderPage('Your e-mail address is confirmed', 'You can sign in now.', commands),
    invalid: renderPage(
      'This link does not work',
      'It has been used already or has expired. If your address is confirmed, just sign in; otherwise register again to get a new link.',
      commands
    ),
    plain: renderPage('Sign in', 'With the address and password that you registered.', commands)
  }
  for (const path of ['/', '/login']) {
    app.get(path, (request, reply) => {
      const { confirmed, error } = request.query as Record<string, unknown>
      const page = error === 'link_invalid' ? pages.invalid : confirmed === '1' ? pages.confirmed : pages.plain
      reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page)
    })
  }
}

/** How to sign in without a form. */
export const signInCommand = (publicUrl: string): string =>
  `curl -c cookies.txt -H 'content-type: application/json' \\
  -d '{"email":"you@example.com","password":"…"}' ${publicUrl}/api/auth/login`
