import type { Content, OpenApiDocument, Operation, Parameter } from '@tollgate/contracts/openapi/document.ts'
import { codeTabs } from '../code-tabs.ts'
import { type Html, html } from '../html.ts'
import { renderMarkdown } from '../markdown.ts'
import { writeCallSnippets } from './call-snippets.ts'
import { type ExampleModels, fillIn } from './docs-text.ts'
import { writeJson } from './example-json.ts'
import type { ReferencedOperation } from './reference.ts'
import { exampleAnswerOf } from './schema-example.ts'
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

/** The request in several languages, and an answer to it. */
function writeCall(one: ReferencedOperation, models: ExampleModels): Html {
  const { api, path, operation } = one
  const fill = (text: string): Html => fillIn(text, path, models)
  const { curl, python, node } = writeCallSnippets(one)
  const tabs = codeTabs({ curl: fill(curl), python: fill(python), node: fill(node) }, 'Language of the example')
  return html`${tabs}${writeAnswers(operation, api.document).map(({ title, text, isFolded }) =>
    isFolded
      ? html`<details><summary>${title}</summary>${codeBlock(fill(text), title)}</details>`
      : html`<p class="font-medium">${title}</p>${codeBlock(fill(text), title)}`
  )}`
}

const codeBlock = (code: Html, label: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}" class="max-h-96 overflow-auto"><code>${code}</code></pre>`

interface ExampleAnswer {
  readonly title: string
  readonly text: string
  readonly isFolded: boolean
}

/** An example of each answer that is JSON or a stream. */
function writeAnswers({ responses }: Operation, { components }: OpenApiDocument): ExampleAnswer[] {
  return Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Number(status) >= 400
      ? []
      : Object.entries(content).flatMap(([type, { schema = {}, example }]) => {
          const title = `Answer ${status}`
          if (type === 'application/json') {
            const answer = example ?? exampleAnswerOf(schema, components.schemas)
            return { title, text: writeJson(answer), isFolded: false }
          }
          return typeof example === 'string'
            ? { title: 'Answer with "stream": true', text: example, isFolded: true }
            : []
        })
  )
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
