import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import type { FastifyInstance } from 'fastify'

/** Serialized when the first request needs it. */
let json: string | null = null

/** `GET /v1/openapi.json`, without a key. */
export function openApi(app: FastifyInstance): void {
  app.get('/v1/openapi.json', (request, reply) => {
    json ??= JSON.stringify(inferenceDocument)
    reply.header('x-request-id', request.id).type('application/json; charset=utf-8').send(json)
  })
}
