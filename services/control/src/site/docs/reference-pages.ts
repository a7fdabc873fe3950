import { headingId } from '@tollgate/contracts/docs/docs-facts.ts'
import { type Html, html } from '../html.ts'
import { renderMarkdown } from '../markdown.ts'
import type { DocsContent } from './docs-layout.ts'
import type { ExampleModels } from './docs-text.ts'
import { writeOperation } from './operation-page.ts'
import type { Reference, ReferenceApi, ReferencedOperation, ReferenceGroup } from './reference.ts'

/** `/docs/api`: what holds for all calls, and all calls of both APIs that customers may make. */
export const referenceIndex = ({ groups }: Reference, apis: readonly ReferenceApi[]): DocsContent => ({
  path: '/docs/api',
  title: 'API reference',
  description: 'Every call of the models and of the account, with its parameters, answers and errors.',
  body: html`${renderMarkdown(writeOverview(apis))}${apis.map(
    (api) => html`<h2 id="${api.id}">${api.title}</h2>
<p>${api.summary} Address: <code>${api.origin}</code>. For programs: <a href="${api.documentPath}">OpenAPI document</a>.</p>
${groups.filter((group) => group.api === api).map((group) => listGroup(group, api.document.tags.length > 1))}`
  )}`
})

const writeOverview = (apis: readonly ReferenceApi[]): string => {
  const origin = (id: string): string => apis.find((api) => api.id === id)!.origin
  return `**Base URLs.** Models: \`${origin('models')}/v1\` for clients of OpenAI's API, and \`${origin('models')}\` for clients of
Anthropic's. Account: \`${origin('account')}/api\`. Bodies are JSON in UTF-8.

**Authentication.** Each call says which credential it takes:

| credential | sent as | for |
| --- | --- | --- |
| API key \`tg_…\` | \`Authorization: Bearer\`; at \`/v1/messages\` also \`x-api-key\` | models |
| management key \`tgm_…\` | \`Authorization: Bearer\` | keys, usage, requests and webhooks, from your server |
| session | cookie \`svc_session\`, which [sign-in](/docs/api/account/login) sets | everything in the dashboard |

**Errors** have a status, a \`code\` that never changes its meaning, and a message that says what to do. See [errors](/docs/errors).

**Request ids.** Each answer has \`x-request-id\`. Name it when you ask for help. [Find a request](/docs/api/account/getRequest) of a model by it.

**Retries.** Errors of model calls say in \`x-should-retry\` whether to retry, and in \`Retry-After\` when. The SDKs obey both. With an
\`Idempotency-Key\`, a repeated [call of a model](/docs/api/models/createChatCompletion) is charged once, and a repeated call
[creates a key](/docs/api/account/createKey) once.

**Pages.** Long lists take \`limit\`. Send \`next_cursor\` of an answer as \`cursor\` to get the next page; it is null on the last one. Invoices
have \`starting_after\` instead.

**Rate limits.** Answers of models say what is left, in headers that begin with \`x-ratelimit-\`: see [limits](/docs/limits), with an example.

**Changes.** Later releases may add members, event types and error codes: ignore those that you do not know. Members that the provider's
own reference documents reach it unchanged, and so does \`anthropic-version\`.
`
}

/** `/docs/api/operators`: the calls of operators. */
export const operatorsIndex = ({ ofOperators }: Reference): DocsContent => ({
  path: '/docs/api/operators',
  title: 'Operators’ API',
  description: 'The calls that only operators may make.',
  body: html`${ofOperators.map((group) => listGroup(group, false))}`
})

const listGroup = ({ name, description, operations }: ReferenceGroup, isNamed: boolean): Html =>
  html`${isNamed ? html`<h3 id="${headingId(name)}">${name}</h3><p>${description}</p>` : null}<ul>${operations.map(
    ({ href, method, path, operation }) =>
      html`<li><a href="${href}"><code>${method} ${path}</code></a> ${operation.summary}</li>`
  )}</ul>`

/** `/docs/api/<api>/<operation>`: a call. */
export function operationPage(
  one: ReferencedOperation,
  { groups, ofOperators }: Reference,
  models: ExampleModels
): DocsContent {
  const { method, path, operation, href } = one
  const group = [...groups, ...ofOperators].find(({ operations }) => operations.includes(one))!
  return {
    path: href,
    title: operation.summary,
    description: `${method} ${path}: ${operation.summary}.`,
    body: html`<p><code>${method} ${path}</code></p>${writeOperation(one, models)}`,
    siblings: {
      title: group.name,
      links: group.operations.map(({ href, operation }) => ({ href, text: operation.summary }))
    }
  }
}
