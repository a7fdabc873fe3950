import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../mailbox/html.ts'
import { StripeApiError } from '../errors.ts'
import { FormError } from '../http/read-params.ts'

const style = `
  :root {
    color-scheme: light dark; --line: light-dark(#d8d8de, #3a3a42); --quiet: light-dark(#5c5c66, #a2a2ae);
    --accent: light-dark(#4338ca, #a5b4fc); --on-accent: light-dark(#fff, #14143a);
    --wrong: light-dark(#b3161b, #ff9a9a); --good: light-dark(#12703a, #7ddc9d); --panel: light-dark(#fafafc, #1c1c22)
  }
  * { box-sizing: border-box }
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0 }
  header { background: var(--panel); border-bottom: 1px solid var(--line); padding: .75rem 1rem }
  header p { max-width: 60rem; margin: 0 auto; display: flex; gap: .75rem; align-items: center }
  .mode { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; font-size: .8rem; color: var(--quiet) }
  main { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem }
  h2 { font-size: 1.1rem; margin: 0 0 .75rem }
  p { margin: 0 0 .75rem; overflow-wrap: anywhere }
  a { color: var(--accent) }
  .columns { display: grid; gap: 2rem; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)) }
  section { border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 0 0 1.25rem; background: var(--panel) }
  .price { font-size: 2rem; font-weight: 650; margin: 0 }
  .quiet, dt { color: var(--quiet); font-size: .9rem }
  .good { color: var(--good) } .wrong { color: var(--wrong) }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 }
  dd { margin: 0; overflow-wrap: anywhere }
  label { display: block; font-weight: 600; margin: 0 0 .25rem }
  label.choice { font-weight: 400; display: flex; gap: .6rem; align-items: baseline; padding: .5rem 0 }
  fieldset { border: 0; padding: 0; margin: 0 0 1rem } legend { font-weight: 600; padding: 0 }
  .field { margin: 0 0 1rem } .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
  input:not([type=radio]) {
    width: 100%; font: inherit; padding: .55rem .7rem; border: 1px solid light-dark(#8a8a96, #73737f); border-radius: .5rem;
    background: light-dark(#fff, #101014); color: inherit
  }
  input[aria-invalid=true] { border-color: var(--wrong); border-width: 2px }
  .problem { color: var(--wrong); font-size: .9rem; margin: .25rem 0 0 }
  button, .button {
    display: inline-block; font: inherit; font-weight: 600; padding: .6rem 1.1rem; border: 0; border-radius: .5rem;
    background: var(--accent); color: var(--on-accent); cursor: pointer; text-decoration: none
  }
  .second { background: none; color: var(--accent); border: 1px solid var(--line) }
  form.wide button { width: 100% }
  .actions { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0 0 }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  table { width: 100%; border-collapse: collapse } th, td { text-align: left; padding: .4rem .5rem .4rem 0; border-bottom: 1px solid var(--line) }
  details { margin: 1rem 0 0 } summary { cursor: pointer }
  .scroll { overflow-x: auto } code { font-size: .9rem; white-space: nowrap }
`

/** Renders a page. `content` is HTML. */
export function page(businessName: string, title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escapeHtml(`${title} – ${businessName}`)}</title>
  <style>${style}</style>
</head>
<body>
  <header><p><strong>${escapeHtml(businessName)}</strong> <span class="mode">Test payments: no money moves</span></p></header>
  <main>${content}</main>
</body>
</html>
`
}

// Names and metadata come from callers of the API and must not run or load anything. There is no `form-action`, because
// browsers apply it to redirects too, and these lead to the application.
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store'
    })
    .send(html)
}

/** Sends an error page. Errors of the server itself get a general text. */
export function sendPageError(error: Error, reply: FastifyReply, businessName: string): FastifyReply {
  const status = error instanceof StripeApiError ? error.status : error instanceof FormError ? 400 : 500
  const text = status < 500 ? error.message : 'Something went wrong. Please try again.'
  return sendNotice(reply, businessName, status, 'That did not work', text)
}

/** Sends a page with only a title and a text. */
export function sendNotice(
  reply: FastifyReply,
  businessName: string,
  status: number,
  title: string,
  text: string
): FastifyReply {
  const content = `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`
  return sendPage(reply.code(status), page(businessName, title, content))
}

interface Field {
  name: string
  label: string
  value: string
  /** The `autocomplete` attribute. */
  autocomplete: string
  type?: 'text' | 'email'
  inputmode?: 'numeric' | 'email' | 'text'
  placeholder?: string
  isReadOnly?: boolean
}

/** An error message for a field of a form. */
export interface Problem {
  field: string
  message: string
}

/** Renders a labelled input with its error message. */
export function renderField(field: Field, problem: Problem | null): string {
  const { name, label, value, autocomplete, type = 'text', inputmode = 'text', placeholder, isReadOnly } = field
  const isWrong = problem?.field === name
  const attributes = [
    `id="${name}" name="${name}" type="${type}" inputmode="${inputmode}" autocomplete="${autocomplete}" required`,
    `value="${escapeHtml(value)}"`,
    placeholder === undefined ? '' : `placeholder="${escapeHtml(placeholder)}"`,
    isReadOnly === true ? 'readonly' : '',
    isWrong ? `aria-invalid="true" aria-describedby="${name}-problem" autofocus` : ''
  ]
  const wrong = isWrong ? `<p class="problem" id="${name}-problem" role="alert">${escapeHtml(problem.message)}</p>` : ''
  return `<div class="field"><label for="${name}">${escapeHtml(label)}</label><input ${attributes.filter(Boolean).join(' ')}>${wrong}</div>`
}
