import { hash } from 'node:crypto'

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:4rem auto;padding:0 1rem}
pre{padding:1rem;overflow-x:auto;background:color-mix(in srgb,currentColor 8%,transparent);border-radius:.4rem}`

/** The content security policy of a page that {@link renderPage} made. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

/** A page without scripts: a title, some text, and commands. Everything is HTML, so nothing of a request may be in it. */
export function renderPage(title: string, text: string, commands: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Tollgate</title><style>${style}</style></head>
<body>
<h1>${title}</h1>
<p>${text}</p>
<pre><code>${commands}</code></pre>
</body>
</html>
`
}
