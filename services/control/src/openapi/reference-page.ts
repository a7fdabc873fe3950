import { hash } from 'node:crypto'
import { describeBounds, describeSchema } from '@tollgate/contracts/openapi/describe-schema.ts'
import {
  type Content,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter
} from '@tollgate/contracts/openapi/document.ts'
import { escapeHtml } from '../http/escape-html.ts'

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1rem 6rem}
h2{margin-top:3rem;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}
h3{margin:2rem 0 .3rem;font-size:1.05rem}
code,pre{font-family:ui-monospace,monospace;font-size:.88em}
pre{padding:.7rem 1rem;overflow-x:auto;background:color-mix(in srgb,currentColor 7%,transparent);border-radius:.4rem}
nav ul{columns:18rem;padding-left:1.2rem}
table{border-collapse:collapse;width:100%}
td{padding:.25rem .8rem .25rem 0;vertical-align:top;border-top:1px solid color-mix(in srgb,currentColor 15%,transparent)}
td p{margin:0}
summary{cursor:pointer}
.method{display:inline-block;min-width:4.2rem;font-weight:600}`

/** The page's content security policy: no scripts, no other hosts, and only its own style. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

/** Renders one page about one or more APIs. It needs no script and no other host. */
export function renderReference(documents: readonly OpenApiDocument[], brandName: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API reference · ${escapeHtml(brandName)}</title><style>${style}</style></head>
<body>
<h1>API reference</h1>
<nav><ul>
${documents.flatMap(operationsOf).map(renderLink).join('\n')}
</ul></nav>
${documents.map(renderDocument).join('\n')}
</body>
</html>
`
}

const renderLink = ({ method, path, operation }: ReturnType<typeof operationsOf>[number]): string =>
  `<li><a href="#${escapeHtml(operation.operationId)}"><code>${escapeHtml(`${method} ${path}`)}</code></a></li>`

function renderDocument(document: OpenApiDocument): string {
  const { info, servers = [], tags, components } = document
  const operations = operationsOf(document)
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    if (own.length === 0) return ''
    const rendered = own.map(({ method, path, operation }) => renderOperation(method, path, operation))
    return `<h2>${escapeHtml(name)}</h2>\n<p>${renderText(description)}</p>\n${rendered.join('\n')}`
  })
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<h3><code>${escapeHtml(name)}</code></h3>\n${renderSchema(schema)}`
  )
  return [
    `<h2>${escapeHtml(info.title)}</h2>`,
    `<p>${renderText(info.description)}</p>`,
    ...servers.map(({ url }) => `<p>Base address: <code>${escapeHtml(url)}</code></p>`),
    ...sections,
    ...schemas
  ].join('\n')
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation
  const schemes = security.flatMap((alternative) => Object.keys(alternative))
  return [
    `<h3 id="${escapeHtml(operationId)}"><code><span class="method">${escapeHtml(method)}</span> ${escapeHtml(path)}</code></h3>`,
    `<p>${escapeHtml(summary)}.${description === undefined ? '' : ` ${renderText(description)}`}</p>`,
    schemes.length === 0
      ? ''
      : `<p>Authentication: ${schemes.map((scheme) => `<code>${escapeHtml(scheme)}</code>`).join(' or ')}.</p>`,
    parameters.length === 0 ? '' : `<table>${parameters.map(renderParameter).join('')}</table>`,
    requestBody === undefined
      ? ''
      : `<p>${requestBody.required ? 'Body' : 'Optional body'}:</p>${renderContent(requestBody.content)}`,
    ...Object.entries(responses).map(
      ([status, { description: text, content = {} }]) =>
        `<details${/^[23]/.test(status) ? ' open' : ''}><summary><code>${escapeHtml(status)}</code> ${
          /^[45]/.test(status) ? codesIn(text) : ''
        }</summary><p>${renderText(text)}</p>${/^[45]/.test(status) ? '' : renderContent(content)}</details>`
    )
  ]
    .filter((part) => part !== '')
    .join('\n')
}

function renderParameter({ name, in: place, required = false, description = '', schema = {} }: Parameter): string {
  const bounds = [describeSchema(schema), describeBounds(schema), required ? 'required' : '']
  return `<tr><td><code>${escapeHtml(name)}</code> (${escapeHtml(place)})</td><td><code>${escapeHtml(
    bounds.filter((part) => part !== '').join(', ')
  )}</code> ${renderText(description)}</td></tr>`
}

const renderContent = (content: Content): string =>
  Object.entries(content)
    .map(([type, { schema }]) => (schema === undefined ? `<p>${escapeHtml(type)}</p>` : renderSchema(schema)))
    .join('')

const renderSchema = (schema: JsonSchema): string => `<pre>${escapeHtml(describeSchema(schema))}</pre>`

/** Lists the error codes at the beginnings of a text's lines. */
const codesIn = (text: string): string =>
  [...text.matchAll(/^`([a-z_]+)`:/gm)].map(([, code]) => `<code>${code}</code>`).join(' ')

/** Renders text with `code` in back-quotes, and empty lines between paragraphs. */
const renderText = (text: string): string =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '<br>')
