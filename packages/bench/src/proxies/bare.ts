/**
 * The proxy that every run compares with: a simple one, with Fastify and undici, without accounts, limits or
 * settlement. All settings are defaults: Fastify parses the JSON, undici opens connections as needed and keeps them
 * alive.
 *
 * Arguments: port to listen on, port of the upstream.
 */
import Fastify from 'fastify'
import { Pool } from 'undici'
import { portArguments } from './program.ts'

const { port, upstreamPort } = portArguments()
const upstream = new Pool(`http://127.0.0.1:${upstreamPort}`)
const app = Fastify({ bodyLimit: 20 * 1024 * 1024 })

app.post('/v1/*', async (request, reply) => {
  const answer = await upstream.request({
    method: 'POST',
    path: request.url,
    headers: { 'content-type': 'application/json', authorization: 'Bearer the-upstreams-key' },
    body: JSON.stringify(request.body)
  })
  reply.code(answer.statusCode)
  reply.header('content-type', answer.headers['content-type'])
  return reply.send(answer.body)
})

await app.listen({ host: '127.0.0.1', port, backlog: 4096 })
