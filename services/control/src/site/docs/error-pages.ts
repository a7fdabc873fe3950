import { splitMessage } from '@tollgate/contracts/docs/pages/errors.ts'
import { isRetryable } from '@tollgate/contracts/errors/should-retry.ts'
import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'
import { type Html, html } from '../html.ts'
import { renderMarkdown } from '../markdown.ts'
import type { Reference, ReferencedOperation, ReferenceGroup } from './reference.ts'

/** All codes, sorted. */
export const errorCodes = Object.keys(errorTable).toSorted() as ErrorCode[]

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorTable, text)

export const errorPath = (code: ErrorCode): string => `/docs/errors/${code}`

/** What happened, in one sentence. */
export const describeError = (code: ErrorCode): string => splitMessage(errorTable[code][2]).happened

export interface ErrorPageOptions {
  /** The address of the docs. */
  readonly docsUrl: string
  /** Whether there are pages besides the docs. */
  readonly isPublic: boolean
}

/** What an error means, what to do, and which calls have it. */
export function writeErrorPage(code: ErrorCode, { groups }: Reference, { docsUrl, isPublic }: ErrorPageOptions): Html {
  const [status, type, message] = errorTable[code]
  const { happened, remedy } = splitMessage(message)
  const callers = callersOf(code, groups)
  const body = { error: { message, type, code, ...detailsOf(code), doc_url: `${docsUrl}/errors/${code}` } }
  return html`${renderMarkdown(happened)}
<h2 id="what-to-do">What to do</h2>
${renderMarkdown(remedy)}
<p>${describeRetry(code)}</p>
${writeWays(code, isPublic)}
<h2 id="body">What you get</h2>
<p>Status ${status}, with this body:</p>
<pre><code>${JSON.stringify(body, null, 2)}</code></pre>
<p>Programs check <code>code</code>: it never changes its meaning. When you ask for help, send the header <code>x-request-id</code>.</p>
${
  callers.length > 0 &&
  html`<h2 id="calls">Calls that return it</h2><ul>${callers.map(
    ({ href, method, path, operation }) =>
      html`<li><a href="${href}"><code>${method} ${path}</code></a> ${operation.summary}</li>`
  )}</ul>`
}`
}

/** Pages that help with an error, by a part of its code. */
const helpful: ReadonlyArray<readonly [pattern: RegExp, href: string, text: string]> = [
  [/budget|free_spend/, '/docs/budgets', 'How budgets work'],
  [/budget|plan|subscription/, '/dashboard/billing', 'Your plan and your budgets'],
  [/monthly_budget|free_|request_budget|model_not/, '/pricing', 'What larger plans include'],
  [/per_minute|concurrent|rate_limit|free_model|too_many/, '/docs/limits', 'How limits work'],
  [/model_not|wrong_endpoint/, '/docs/clients', 'Which SDK speaks which API'],
  [/api_key|ip_address/, '/dashboard/keys', 'Your keys'],
  [/unpriced|invalid_json|invalid_request/, '/docs/api', 'API reference']
]

const writeWays = (code: ErrorCode, isPublic: boolean): Html =>
  html`<ul>${helpful
    .filter(([pattern, href]) => pattern.test(code) && (isPublic || href !== '/pricing'))
    .map(
      ([, href, text]) => html`<li><a href="${href}">${text}</a></li>`
    )}<li><a href="/docs/errors">All errors</a></li></ul>`

/** What a budget that refuses a request says of itself. */
const budgetDetails = {
  limit_usd: '30.00',
  spent_usd: '29.99',
  reserved_usd: '0.008',
  needed_usd: '0.004',
  resets_at: '2027-01-01T00:00:00.000Z'
}
const ofMonth = { window: 'month', ...budgetDetails }
const examplesOfDetails: Readonly<Partial<Record<ErrorCode, Readonly<Record<string, string>>>>> = {
  request_budget_exceeded: {
    scope: 'request',
    limit_usd: '5.00',
    spent_usd: '0',
    reserved_usd: '0',
    needed_usd: '5.40'
  },
  key_budget_exceeded: { scope: 'key', ...ofMonth },
  monthly_budget_exceeded: { scope: 'account', ...ofMonth },
  budget_exceeded: { scope: 'key', window: 'week', ...budgetDetails },
  free_budget_elsewhere: { scope: 'account', ...ofMonth }
}

const detailsOf = (code: ErrorCode): Readonly<Record<string, string>> => examplesOfDetails[code] ?? {}

function describeRetry(code: ErrorCode): string {
  if (isRetryable(code, null)) return 'You can retry: wait as long as Retry-After says, and send the request again.'
  const resets =
    detailsOf(code).resets_at === undefined ? '' : ' It succeeds again once the budget resets: see resets_at below.'
  return `Do not retry: the same request fails again.${resets}`
}

const callersOf = (code: ErrorCode, groups: readonly ReferenceGroup[]): ReferencedOperation[] =>
  groups.flatMap(({ operations }) =>
    operations.filter(({ operation }) => operation.responses[errorTable[code][0]]?.description.includes(`\`${code}\``))
  )

/** All codes with what they mean, by the API that has them, in the order of their status. */
export function listErrors({ groups, ofOperators }: Reference): Html {
  const titleOf = (code: ErrorCode): string => {
    const apis = new Set(callersOf(code, groups).map(({ api }) => api.id))
    if (apis.has('models')) return 'Inference'
    if (apis.has('account')) return 'Account'
    return callersOf(code, ofOperators).length > 0 ? 'Operators' : 'Any call'
  }
  const byTitle = Map.groupBy(errorCodes, titleOf)
  return html`${['Inference', 'Account', 'Any call', 'Operators'].map((title) => {
    const codes = (byTitle.get(title) ?? []).toSorted((one, other) => errorTable[one][0] - errorTable[other][0])
    return html`<h2 id="${title.toLowerCase().replaceAll(' ', '-')}">${title}</h2><table tabindex="0"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">What happened</th></tr></thead><tbody>${codes.map(
      (code) =>
        html`<tr><td>${errorTable[code][0]}</td><td><a href="${errorPath(code)}"><code>${code}</code></a></td><td>${describeError(code)}</td></tr>`
    )}</tbody></table>`
  })}`
}
