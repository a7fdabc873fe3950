import type { Content, OpenApiDocument, Operation, Parameter } from '@tollgate/contracts/openapi/document.ts'
import { type Html, html } from '../html.ts'
import { renderMarkdown } from '../markdown.ts'
import type { ReferencedOperation } from './reference.ts'
import { type NamedSchemas, typeOf, viewSchema } from './schema-view.ts'

/** What the page of an operation says: what it does, what it takes, and what it answers. */
export function writeOperation(one: ReferencedOperation): Html {
  const { api, operation } = one
  const named = api.document.components.schemas
  const { parameters = [], requestBody } = operation
  const places = [
    ['path', 'Path'],
    ['query', 'Query'],
    ['header', 'Headers']
  ] as const
  return html`${writeCall(one)}
${renderMarkdown(operation.description ?? '')}
${describeSecurity(operation, api.document)}
${places.map(([place, title]) =>
  writeParameters(
    title,
    parameters.filter((parameter) => parameter.in === place),
    named
  )
)}
${requestBody !== undefined && html`<h2 id="body">Body</h2>${writeContent(requestBody.content, named)}`}
<h2 id="answers">Answers</h2>
${Object.entries(operation.responses).map(([status, { description, content = {} }]) =>
  Number(status) < 400 ? html`<h3>${status}: ${description}</h3>${writeContent(content, named)}` : null
)}
${writeErrors(operation)}`
}

/** The request as a command. A body is read from a file: the table below says what it has. */
function callOf({ api, method, path, operation }: ReferencedOperation): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${api.origin}${path.replaceAll(/\{(\w+)\}/g, '<$1>')}`]
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $API_KEY"')
  const [type] = Object.keys(operation.requestBody?.content ?? {})
  if (type === 'application/json') lines.push('-H "Content-Type: application/json"', '-d @body.json')
  return lines.join(' \\\n  ')
}

const writeCall = (one: ReferencedOperation): Html => html`<pre><code>${callOf(one)}</code></pre>`

const credentialNames: Readonly<Record<string, string>> = {
  session: 'The cookie of a session',
  managementKey: 'A management key',
  apiKey: 'An API key',
  xApiKey: 'The header `x-api-key`',
  signature: 'A signature',
  webhookSecret: 'A secret'
}

function describeSecurity({ security }: Operation, { components }: OpenApiDocument): Html {
  if (security.length === 0) return html`<p>Needs no credential.</p>`
  const ways = security.map((one) => {
    const [name = ''] = Object.keys(one)
    const scheme = components.securitySchemes[name] as { description?: string } | undefined
    return scheme?.description === undefined ? name : `${credentialNames[name] ?? name}: ${scheme.description}`
  })
  return html`<h2 id="credential">Credential</h2><ul>${ways.map((way) => html`<li>${renderMarkdown(way)}</li>`)}</ul>`
}

function writeParameters(title: string, parameters: readonly Parameter[], named: NamedSchemas): Html | null {
  if (parameters.length === 0) return null
  return html`<h2 id="${title.toLowerCase()}">${title}</h2><ul class="members">${parameters.map(
    ({ name, required = false, description = '', schema = {} }) =>
      html`<li><p><code class="font-semibold">${name}</code> <span class="text-ink-soft">${typeOf(schema, named)}</span>${required && html` <span class="font-medium text-accent">required</span>`}</p><div class="text-ink-soft">${renderMarkdown(description)}</div></li>`
  )}</ul>`
}

function writeContent(content: Content, named: NamedSchemas): Html {
  const parts = Object.entries(content)
  if (parts.length === 0) return html`<p>No body.</p>`
  return html`${parts.map(
    ([type, { schema }]) => html`<p><code>${type}</code></p>${schema !== undefined && viewSchema(schema, named)}`
  )}`
}

/** Errors are one line each: their codes have pages of their own. */
function writeErrors({ responses }: Operation): Html | null {
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  if (errors.length === 0) return null
  return html`<h3>Errors</h3><ul>${errors.map(
    ([status, { description }]) => html`<li><strong>${status}</strong> ${renderMarkdown(description)}</li>`
  )}</ul>`
}
