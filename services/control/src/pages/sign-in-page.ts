import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:4rem auto;padding:0 1rem}
pre{padding:1rem;overflow-x:auto;background:color-mix(in srgb,currentColor 8%,transparent);border-radius:.4rem}`

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

/**
 * `/` and `/login`: one page without scripts that says where a person stands, for instance after the link in the
 * confirmation mail, and how to go on. Nothing of the request but the two outcomes that are known gets into it.
 *
 * @param publicUrl an origin
 */
export function signInPage(app: FastifyInstance, publicUrl: string): void {
  const pages = {
    confirmed: render('Your e-mail address is confirmed', 'You can sign in now.', publicUrl),
    invalid: render(
      'This link does not work',
      'It has been used already or has expired. If your address is confirmed, just sign in; otherwise register again to get a new link.',
      publicUrl
    ),
    plain: render('Sign in', 'With the address and password that you registered.', publicUrl)
  }
  for (const path of ['/', '/login']) {
    app.get(path, (request, reply) => {
      const { confirmed, error } = request.query as Record<string, unknown>
      const page = error === 'link_invalid' ? pages.invalid : confirmed === '1' ? pages.confirmed : pages.plain
      reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(page)
    })
  }
}

function render(title: string, text: string, publicUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Tollgate</title><style>${style}</style></head>
<body>
<h1>${title}</h1>
<p>${text}</p>
<pre><code>curl -c cookies.txt -H 'content-type: application/json' \\
  -d '{"email":"you@example.com","password":"…"}' ${publicUrl}/api/auth/login
curl -b cookies.txt ${publicUrl}/api/auth/me</code></pre>
</body>
</html>
`
}
