import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { pagePolicy, renderReference } from './reference-page.ts'

/**
 * `GET /api/openapi.json` is the API as an OpenAPI 3.1 document; `GET /api/reference` is a page with this API and the
 * gateway's. Both are made once, after all routes are registered.
 */
export function openApiEndpoints(app: FastifyInstance, brandName: string): void {
  let json = ''
  let page = ''
  app.addHook('onReady', async () => {
    const document = app.swagger() as OpenApiDocument
    json = JSON.stringify(document)
    page = renderReference([document, inferenceDocument], brandName)
  })
  const text = { schema: { response: { 200: Type.Object({}, { additionalProperties: true }) } } }
  app.get('/openapi.json', text, (_request, reply) => {
    reply.type('application/json; charset=utf-8').serializer(String).send(json)
  })
  app.get('/reference', { schema: { hide: true } }, (_request, reply) => {
    reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page)
  })
}
