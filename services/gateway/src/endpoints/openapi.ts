import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import type { FastifyInstance } from 'fastify'

/** `GET /v1/openapi.json`, without a key. The document is serialized once. */
export function openApi(app: FastifyInstance): void {
  const json = JSON.stringify(inferenceDocument)
  app.get('/v1/openapi.json', (request, reply) => {
    reply.header('x-request-id', request.id).type('application/json; charset=utf-8').send(json)
  })
}
