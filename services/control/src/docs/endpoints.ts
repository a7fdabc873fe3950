import type { DocsFacts } from '@tollgate/contracts/docs/docs-facts.ts'
import { docsPages, renderPage } from '@tollgate/contracts/docs/docs-pages.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import type { FastifyInstance } from 'fastify'
import { writeLlmsTxt } from './llms-txt.ts'

/** The gateway's API with this installation's name and address. */
function ownGatewayDocument({ name, gatewayUrl }: DocsFacts): OpenApiDocument {
  const own = JSON.parse(
    JSON.stringify(inferenceDocument).replaceAll('Tollgate', () => JSON.stringify(name).slice(1, -1))
  )
  return { ...(own as OpenApiDocument), servers: [{ url: gatewayUrl }] }
}

/**
 * Public pages for customers: `/llms.txt`, `/api/docs/<page>.md` as Markdown, and `/api/docs/gateway.json` with the gateway's API.
 * They say nothing about any account.
 */
export function docsEndpoints(app: FastifyInstance, facts: DocsFacts, supportUrl: string | null): void {
  const schema = { hide: true }
  const markdown = 'text/markdown; charset=utf-8'
  const rendered = new Map(Object.entries(docsPages).map(([name, page]) => [`${name}.md`, renderPage(page, facts)]))
  const llms = writeLlmsTxt(facts, supportUrl)
  const gateway = JSON.stringify(ownGatewayDocument(facts))
  app.get('/llms.txt', { schema }, (_request, reply) => reply.type('text/plain; charset=utf-8').send(llms))
  app.get('/api/docs/gateway.json', { schema }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(gateway)
  )
  app.get<{ Params: { page: string } }>('/api/docs/:page', { schema }, (request, reply) => {
    const text = rendered.get(request.params.page)
    if (text === undefined) throw new ServiceError('not_found')
    return reply.type(markdown).send(text)
  })
}
