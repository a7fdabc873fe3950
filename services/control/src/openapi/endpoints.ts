import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'

/** `GET /api/openapi.json` is the API as an OpenAPI 3.1 document. It is made once, after all routes are registered. */
export function openApiEndpoints(app: FastifyInstance): void {
  let json = ''
  app.addHook('onReady', async () => {
    json = JSON.stringify(app.swagger())
  })
  const text = { schema: { response: { 200: Type.Object({}, { additionalProperties: true }) } } }
  app.get('/openapi.json', text, (_request, reply) => {
    reply.type('application/json; charset=utf-8').serializer(String).send(json)
  })
}
