import { headingId } from '@tollgate/contracts/docs/docs-facts.ts'
import { type Html, html } from '../html.ts'
import type { DocsContent } from './docs-layout.ts'
import type { ExampleModels } from './docs-text.ts'
import { writeOperation } from './operation-page.ts'
import type { Reference, ReferenceApi, ReferencedOperation, ReferenceGroup } from './reference.ts'

/** `/docs/api`: all calls of both APIs that customers may make. */
export const referenceIndex = ({ groups }: Reference, apis: readonly ReferenceApi[]): DocsContent => ({
  path: '/docs/api',
  title: 'API reference',
  description: 'Every call of the models and of the account, with its parameters, answers and errors.',
  body: html`${apis.map(
    (api) => html`<h2 id="${api.id}">${api.title}</h2>
<p>${api.summary} Address: <code>${api.origin}</code>. For programs: <a href="${api.documentPath}">OpenAPI document</a>.</p>
${groups.filter((group) => group.api === api).map((group) => listGroup(group, api.document.tags.length > 1))}`
  )}`
})

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
