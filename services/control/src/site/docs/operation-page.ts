import type { Content, OpenApiDocument, Operation, Parameter } from '@tollgate/contracts/openapi/document.ts'
import { type Html, html } from '../html.ts'
import { renderMarkdown } from '../markdown.ts'
import { inOneLine } from '../snippets.ts'
import { type ExampleModels, fillableKey, fillableModel } from './docs-text.ts'
import type { ReferencedOperation } from './reference.ts'
import { exampleModel, exampleOf } from './schema-example.ts'
import { type NamedSchemas, typeOf, viewSchema } from './schema-view.ts'

/** What the page of an operation says: what it does, what it takes, and what it answers. */
export function writeOperation(one: ReferencedOperation, models: ExampleModels): Html {
  const { api, operation } = one
  const named = api.document.components.schemas
  const { parameters = [], requestBody } = operation
  // Paragraphs with a title of their own are details.
  const paragraphs = (operation.description ?? '').split('\n\n')
  const isNote = (paragraph: string) => paragraph.startsWith('**')
  const intro = paragraphs.filter((one) => !isNote(one))
  const notes = paragraphs.filter(isNote)
  const writePlaces = (...places: ReadonlyArray<keyof typeof placeTitles>) =>
    places.map((place) =>
      writeParameters(
        placeTitles[place],
        parameters.filter((parameter) => parameter.in === place),
        named
      )
    )
  const contents = [
    ...(requestBody === undefined ? [] : [['body', 'Body'] as const]),
    ...(notes.length === 0 ? [] : [['notes', 'Good to know'] as const]),
    ['answers', 'Answers and errors'] as const
  ]
  return html`${writeCall(one, models)}
<p>On this page: ${contents.map(([id, text], index) => html`${index > 0 && ', '}<a href="#${id}">${text}</a>`)}</p>
${renderMarkdown(intro.join('\n\n'))}
${describeSecurity(operation, api.document)}
${writePlaces('path', 'query')}
${requestBody !== undefined && html`<h2 id="body">Body</h2>${writeContent(requestBody.content, named)}`}
${writePlaces('header')}
${notes.length > 0 && html`<h2 id="notes">Good to know</h2>${renderMarkdown(notes.join('\n\n'))}`}
<h2 id="answers">Answers</h2>
${Object.entries(operation.responses).map(([status, { description, content = {} }]) =>
  Number(status) < 400 ? html`<h3>${status}: ${description}</h3>${writeContent(content, named)}` : null
)}
${writeErrors(operation)}`
}

const placeTitles = { path: 'Path', query: 'Query', header: 'Headers' } as const

/** The request as a command, with what a body must have. */
function writeCall({ api, method, path, operation }: ReferencedOperation, models: ExampleModels): Html {
  const address = `${api.origin}${path.replaceAll(/\{(\w+)\}/g, '<$1>')}`
  const isPost = method === 'POST' && operation.requestBody !== undefined
  const lines = [html`curl ${method === 'GET' || isPost ? '' : `-X ${method} `}${address}`]
  const credential = credentialOf(operation)
  if (credential !== null) lines.push(html`-H "${credential}"`)
  for (const { name, required = false, in: place } of operation.parameters ?? []) {
    if (required && place === 'header') lines.push(html`-H "${name}: ${exampleHeaders[name] ?? `<${name}>`}"`)
  }
  const schema = operation.requestBody?.content['application/json']?.schema
  if (schema !== undefined) {
    lines.push(html`-H "Content-Type: application/json"`)
    const body = writeJson(exampleOf(schema, api.document.components.schemas))
    const [before = '', ...after] = body.replaceAll("'", "'\\''").split(exampleModel)
    lines.push(html`-d '${before}${after.map((text) => html`${fillableModel(path, models)}${text}`)}'`)
  }
  return html`<pre><code>${lines.map((line, index) => html`${index > 0 && ' \\\n  '}${line}`)}</code></pre>`
}

/** Short JSON stands in one line. */
const writeJson = (value: unknown): string => {
  const line = inOneLine(value)
  return line.length <= maxLineLength ? line : JSON.stringify(value, null, 2)
}
const maxLineLength = 90

const exampleHeaders: Readonly<Record<string, string>> = { 'anthropic-version': '2023-06-01' }

/** The header with the credential; null if the call needs none, or the cookie of a session. */
function credentialOf({ security }: Operation): Html | null {
  const schemes = new Set(security.flatMap((one) => Object.keys(one)))
  if (schemes.has('apiKey')) return html`Authorization: Bearer ${fillableKey}`
  return schemes.has('managementKey') ? html`Authorization: Bearer YOUR_MANAGEMENT_KEY` : null
}

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
  return html`<details><summary class="cursor-pointer font-semibold">Errors</summary><ul>${errors.map(
    ([status, { description }]) => html`<li><strong>${status}</strong> ${renderMarkdown(description)}</li>`
  )}</ul></details>`
}
