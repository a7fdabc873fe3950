import type { DocsFacts } from '@tollgate/contracts/docs/docs-facts.ts'
import { docsPages, renderPage } from '@tollgate/contracts/docs/docs-pages.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import type { FastifyInstance } from 'fastify'
import { encodePage, sendEncoded } from '../http/encoded-page.ts'

/** A page that `/llms.txt` names. */
interface ListedPage {
  readonly title: string
  readonly path: string
  readonly summary: string
}

/** The gateway's API with this installation's name and address. */
export function ownGatewayDocument({ name, gatewayUrl }: DocsFacts): OpenApiDocument {
  const own = JSON.parse(
    JSON.stringify(inferenceDocument).replaceAll('Tollgate', () => JSON.stringify(name).slice(1, -1))
  )
  return { ...(own as OpenApiDocument), servers: [{ url: gatewayUrl }] }
}

/**
 * Public pages for customers: `/llms.txt`, `/api/docs/<page>.md` as Markdown, and `/api/docs/gateway.json` with the
 * gateway's API. They say nothing about any account.
 */
export function docsRoutes(
  app: FastifyInstance,
  facts: DocsFacts,
  supportUrl: string | null,
  sitePages: readonly ListedPage[] = []
): void {
  const schema = { hide: true }
  const markdown = 'text/markdown; charset=utf-8'
  const rendered = new Map(Object.entries(docsPages).map(([name, page]) => [`${name}.md`, renderPage(page, facts)]))
  const llms = writeLlmsTxt(facts, supportUrl, sitePages)
  const gateway = encodePage(JSON.stringify(ownGatewayDocument(facts)), 'short')
  app.get('/llms.txt', { schema }, (_request, reply) => reply.type('text/plain; charset=utf-8').send(llms))
  app.get('/api/docs/gateway.json', { schema }, (request, reply) =>
    sendEncoded(request, reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding'), gateway)
  )
  app.get<{ Params: { page: string } }>('/api/docs/:page', { schema }, (request, reply) => {
    const text = rendered.get(request.params.page)
    if (text === undefined) throw new ServiceError('not_found')
    return reply.type(markdown).send(text)
  })
}

/**
 * The list of pages for language models: see llmstxt.org.
 *
 * @param supportUrl where people get help; null for none
 * @param sitePages the public pages
 */
export function writeLlmsTxt(
  { name, publicUrl, gatewayUrl }: Pick<DocsFacts, 'name' | 'publicUrl' | 'gatewayUrl'>,
  supportUrl: string | null,
  sitePages: readonly ListedPage[] = []
): string {
  const pages = Object.entries(docsPages).map(
    ([page, { title, summary }]) => `- [${title}](${publicUrl}/api/docs/${page}.md): ${summary}`
  )
  const ofSite = sitePages.map(({ title, path, summary }) => `- [${title}](${publicUrl}${path}): ${summary}`)
  return `# ${name}

> An API for large language models. It speaks the formats of OpenAI's and Anthropic's APIs, with API keys, budgets and limits.

- Base URL for clients of OpenAI's API: ${gatewayUrl}/v1
- Base URL for clients of Anthropic's API: ${gatewayUrl}
- List the models of a key: GET ${gatewayUrl}/v1/models
- What is left of a key's budgets and limits: GET ${gatewayUrl}/v1/key
- Dashboard: ${publicUrl}/dashboard
${supportUrl === null ? '' : `- Support: ${supportUrl}\n`}
${ofSite.length === 0 ? '' : `## Pages\n\n${ofSite.join('\n')}\n\n`}## Docs

${pages.join('\n')}

## API reference

- [Gateway](${publicUrl}/api/docs/gateway.json): OpenAPI document of the API that calls models.
- [Account](${publicUrl}/api/openapi.json): OpenAPI document of keys, usage, billing and webhooks.
`
}
