/**
 * What of the gateway is not metering: a request's body is read and understood, and the gateway's own relay passes it on
 * and its answer back. There is no admission, no settlement, and no log. With a Redis, keys are judged: found by what the
 * request presents, and confirmed by one script for each request, as a gateway without limits and budgets would do it.
 *
 * Arguments: port to listen on, port of the upstream, the upstreams file; URL of a Redis that has keys and a catalog, if
 * they are judged.
 */
import { randomUUID } from 'node:crypto'
import { ChatRequest } from '@tollgate/contracts/http/inference.ts'
import { confirmKey } from '@tollgate/gateway/admission/admit-request.ts'
import { judgeCall } from '@tollgate/gateway/admission/judge.ts'
import { createAuthenticator } from '@tollgate/gateway/authenticate/authenticate.ts'
import { BodyMemory } from '@tollgate/gateway/body/body-memory.ts'
import { SlowBodies } from '@tollgate/gateway/body/slow-bodies.ts'
import { followCatalog } from '@tollgate/gateway/catalog/live-catalog.ts'
import { readBody } from '@tollgate/gateway/endpoints/read-body.ts'
import { readRequestBody, understand } from '@tollgate/gateway/endpoints/request-body.ts'
import { AbandonedStreams } from '@tollgate/gateway/relay/abandoned-streams.ts'
import { Deadlines } from '@tollgate/gateway/relay/deadlines.ts'
import { relay } from '@tollgate/gateway/relay/relay.ts'
import { SlowReaders } from '@tollgate/gateway/relay/slow-readers.ts'
import { openUpstreams } from '@tollgate/gateway/upstreams/upstreams.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { portArguments } from './program.ts'

const { port, upstreamPort } = portArguments()
const [upstreamsFile, redisUrl] = process.argv.slice(4)
const judge = redisUrl === undefined ? null : await judgeBy(redisUrl)
const upstreams = openUpstreams(upstreamsFile!, {
  BENCH_UPSTREAM_URL: `http://127.0.0.1:${upstreamPort}/v1`,
  BENCH_CREDENTIAL: 'the-upstreams-key'
})
const route = [{ upstream: 'bench', model: 'bench-model', priority: 0, weight: 1 }]
const understood = understand(ChatRequest)
const bodies = { memory: new BodyMemory(256 * 1024 * 1024), slowBodies: new SlowBodies(10_000) }
const sender = { bodyBytes: 0 }
const slowReaders = new SlowReaders(60_000)
const deadlines = new Deadlines(900_000)
const abandonedStreams = new AbandonedStreams(256)

// As the gateway sets it up.
const app = Fastify({ childLoggerFactory: (logger) => logger, genReqId: () => `req_${randomUUID()}` })
app.addHttpMethod('POST', { hasBody: false, overrideExisting: true })

app.post('/v1/chat/completions', (request, reply) => {
  readBody(request.raw, reply.raw, bodies, sender, Number.POSITIVE_INFINITY, (failure, bytes, heldBytes) => {
    bodies.memory.release(sender, heldBytes)
    try {
      if (failure !== null) throw failure
      const body = readRequestBody(bytes, understood)
      const confirmed = judge === null ? null : judge(request.headers.authorization, body.members.model)
      if (confirmed === null) pass(request, reply, body)
      else
        confirmed.then(
          () => pass(request, reply, body),
          (error) => reply.send(error)
        )
    } catch (error) {
      reply.send(error)
    }
  })
})

function pass(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, members, spans }: ReturnType<typeof readRequestBody<typeof ChatRequest>>
): void {
  reply.hijack()
  relay({
    upstreams,
    docsUrl: null,
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
    listMember: 'choices',
    answers: 1,
    requestId: request.id,
    maxCalls: 3,
    response: reply.raw,
    fields: [],
    slowReaders,
    deadlines,
    abandonedStreams,
    hidesOutput: false,
    isDraining: () => false,
    onFailure: () => {},
    onEnd: () => {}
  })
}

/** @returns confirms what a request presents, or rejects with what its client is told */
async function judgeBy(url: string): Promise<(authorization: string | undefined, model: string) => Promise<void>> {
  const redis = connectServer(url, { name: 'tollgate-bench', silenceLimitMs: 5000, onError: () => {} })
  await redis.ready()
  const catalog = followCatalog(redis, () => {})
  await catalog.start()
  const { remembered, lookUp } = createAuthenticator(redis)
  return async (authorization, model) => {
    const known = remembered(authorization) ?? (await lookUp(authorization))
    await confirmKey(redis, known, (records) => judgeCall(records, known.digest, catalog.current()!, model, 'chat'))
  }
}

await app.listen({ host: '127.0.0.1', port, backlog: 4096 })
