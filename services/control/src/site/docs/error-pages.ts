import { splitMessage } from '@tollgate/contracts/docs/pages/errors.ts'
import { isRetryable } from '@tollgate/contracts/errors/should-retry.ts'
import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'
import { type Html, html } from '../html.ts'
import { renderMarkdown } from '../markdown.ts'
import type { Reference } from './reference.ts'

/** All codes, sorted. */
export const errorCodes = Object.keys(errorTable).toSorted() as ErrorCode[]

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorTable, text)

export const errorPath = (code: ErrorCode): string => `/docs/errors/${code}`

/** What happened, in one sentence. */
export const describeError = (code: ErrorCode): string => splitMessage(errorTable[code][2]).happened

/** What an error means, what to do, and which calls answer it. */
export function writeErrorPage(code: ErrorCode, { groups }: Reference): Html {
  const [status, type, message] = errorTable[code]
  const { happened, remedy } = splitMessage(message)
  const callers = groups.flatMap(({ operations }) =>
    operations.filter(({ operation }) => operation.responses[status]?.description.includes(`\`${code}\``))
  )
  return html`${renderMarkdown(happened)}
<h2 id="what-to-do">What to do</h2>
${renderMarkdown(remedy)}
<p>${isRetryable(code, null) ? 'The same request may succeed later: wait as long as Retry-After says, and send it again.' : 'The same request fails again, so do not send it again unchanged.'}</p>
<h2 id="body">The answer</h2>
<p>Status ${status}, with this body:</p>
<pre><code>${JSON.stringify({ error: { message, type, code } }, null, 2)}</code></pre>
<p>Decide by <code>code</code>: it never changes its meaning. Send the <code>x-request-id</code> of the answer when you ask for help.</p>
${
  callers.length > 0 &&
  html`<h2 id="calls">Calls that answer it</h2><ul>${callers.map(
    ({ href, method, path, operation }) =>
      html`<li><a href="${href}"><code>${method} ${path}</code></a> ${operation.summary}</li>`
  )}</ul>`
}`
}

/** All codes with what they mean. */
export const listErrors = (): Html =>
  html`<ul>${errorCodes.map(
    (code) => html`<li><a href="${errorPath(code)}"><code>${code}</code></a> ${describeError(code)}</li>`
  )}</ul>`
