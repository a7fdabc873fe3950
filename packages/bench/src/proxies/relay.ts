/**
 * What of the gateway is not metering: a request's body is read and understood, and the gateway's own relay passes it on
 * and its answer back. There are no keys, no admission, no settlement, no log and no Redis.
 *
 * Arguments: port to listen on, port of the upstream.
 */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { ChatRequest } from '@tollgate/contracts/http/inference.ts'
import Fastify from 'fastify'
import { readBody } from '../../../../services/gateway/src/endpoints/read-body.ts'
import { readRequestBody, understand } from '../../../../services/gateway/src/endpoints/request-body.ts'
import { Deadlines } from '../../../../services/gateway/src/relay/deadlines.ts'
import { relay } from '../../../../services/gateway/src/relay/relay.ts'
import { SlowReaders } from '../../../../services/gateway/src/relay/slow-readers.ts'
import { openUpstreams } from '../../../../services/gateway/src/upstreams/upstreams.ts'
import { portArguments } from './program.ts'

const { port, upstreamPort } = portArguments()
const upstreams = openUpstreams(fileURLToPath(new URL('../targets/upstreams.yaml', import.meta.url)), {
  BENCH_UPSTREAM_URL: `http://127.0.0.1:${upstreamPort}/v1`,
  BENCH_CREDENTIAL: 'the-upstreams-key'
})
const route = [{ upstream: 'bench', model: 'bench-model', priority: 0, weight: 1 }]
const understood = understand(ChatRequest)
const bodyLimit = 20 * 1024 * 1024
const slowReaders = new SlowReaders(60_000)
const deadlines = new Deadlines(900_000)

// As the gateway sets it up.
const app = Fastify({ childLoggerFactory: (logger) => logger, genReqId: () => `req_${randomUUID()}` })
app.addHttpMethod('POST', { hasBody: false, overrideExisting: true })

app.post('/v1/chat/completions', (request, reply) => {
  readBody(request.raw, bodyLimit, (failure, bytes) => {
    try {
      if (failure !== null) throw failure
      const { members, spans } = readRequestBody(bytes, understood)
      reply.hijack()
      relay({
        upstreams,
        route,
        path: '/chat/completions',
        body: bytes,
        spans,
        model: members.model,
        isStream: members.stream === true,
        streamOptions: members.stream_options ?? null,
        // Whoever admits a request grants it.
        output: null,
        wordsMember: 'delta',
        requestId: request.id,
        response: reply.raw,
        fields: [],
        slowReaders,
        deadlines,
        isDraining: () => false,
        onFailure: () => {},
        onEnd: () => {}
      })
    } catch (error) {
      reply.send(error)
    }
  })
})

await app.listen({ host: '127.0.0.1', port, backlog: 4096 })
