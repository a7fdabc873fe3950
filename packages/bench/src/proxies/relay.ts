/**
 * The gateway without metering: it reads and parses the request's body, and the gateway's relay sends it on and returns
 * the answer. It has no admission, no settlement and no log. With a Redis, it also checks the key of each request, with
 * one script, as a gateway without limits would.
 *
 * Arguments: port to listen on, port of the upstream, the upstreams file; optionally the URL of a Redis with keys and a
 * catalog.
 */
import { randomUUID } from 'node:crypto'
import { ChatRequest } from '@tollgate/contracts/http/inference.ts'
import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import { confirmKey } from '@tollgate/gateway/admission/confirm-key.ts'
import { judgeCall } from '@tollgate/gateway/admission/judge.ts'
import { listFormat } from '@tollgate/gateway/apis/chat/list-format.ts'
import { createAuthenticator } from '@tollgate/gateway/authenticate/authenticate.ts'
import { BodyMemory } from '@tollgate/gateway/body/body-memory.ts'
import { SlowBodies } from '@tollgate/gateway/body/slow-bodies.ts'
import { followCatalog } from '@tollgate/gateway/catalog/live-catalog.ts'
import { AbandonedStreams } from '@tollgate/gateway/relay/abandoned-streams.ts'
import { Deadlines } from '@tollgate/gateway/relay/deadlines.ts'
import { relay } from '@tollgate/gateway/relay/relay.ts'
import { SlowReaders } from '@tollgate/gateway/relay/slow-readers.ts'
import { readBody } from '@tollgate/gateway/request/read-body.ts'
import { prepareSchema, readRequestBody } from '@tollgate/gateway/request/request-body.ts'
import { openUpstreams } from '@tollgate/gateway/upstreams/upstreams.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { portArguments } from './program.ts'

const { port, upstreamPort } = portArguments()
const [upstreamsFile, redisUrl] = process.argv.slice(4)
const checkKey = redisUrl === undefined ? null : await connectKeyCheck(redisUrl)
const upstreams = openUpstreams(upstreamsFile!, {
  BENCH_UPSTREAM_URL: `http://127.0.0.1:${upstreamPort}/v1`,
  BENCH_CREDENTIAL: 'the-upstreams-key'
})
const route = [{ upstream: 'bench', model: 'bench-model', priority: 0, weight: 1 }]
const understood = prepareSchema(ChatRequest)
const bodies = { memory: new BodyMemory(256 * 1024 * 1024), slowBodies: new SlowBodies(10_000) }
const sender = { bodyBytes: 0 }
const slowReaders = new SlowReaders(60_000)
const deadlines = new Deadlines(900_000)
const abandonedStreams = new AbandonedStreams(256)

// The same settings as in the gateway.
const app = Fastify({ childLoggerFactory: (logger) => logger, genReqId: () => `req_${randomUUID()}` })
app.addHttpMethod('POST', { hasBody: false, overrideExisting: true })

app.post('/v1/chat/completions', (request, reply) => {
  readBody(request.raw, reply.raw, bodies, sender, Number.POSITIVE_INFINITY, (failure, bytes, heldBytes) => {
    bodies.memory.release(sender, heldBytes)
    try {
      if (failure !== null) throw failure
      const body = readRequestBody(bytes, understood)
      const confirmed = checkKey === null ? null : checkKey(request.headers.authorization, body.members.model)
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
    ids: [],
    model: members.model,
    isStream: members.stream === true,
    streamOptions: members.stream_options ?? null,
    toolLimit: null,
    // Only admission grants output tokens.
    sendsStandardTier: false,
    output: null,
    asksForUsage: true,
    format: listFormat('choices', 'delta'),
    upstreamFields: [],
    answers: 1,
    requestId: request.id,
    key: null,
    trace: null,
    maxCalls: 3,
    response: reply.raw,
    fields: [],
    slowReaders,
    deadlines,
    abandonedStreams,
    copy: null,
    costOf: null,
    showsCost: false,
    hidesOutput: false,
    isDraining: () => false,
    onFailure: () => {},
    onIssued: () => {},
    onEnd: () => {}
  })
}

/** @returns a function that checks the key of a request, and rejects with the error for its client */
async function connectKeyCheck(
  url: string
): Promise<(authorization: string | undefined, model: string) => Promise<void>> {
  const redis = connectServer(url, { name: 'tollgate-bench', silenceTimeoutMs: 5000, onError: () => {} })
  await redis.ready()
  const catalog = followCatalog(redis, () => {})
  await catalog.start()
  const { remembered, lookUp } = createAuthenticator(redis, {
    hits: { add: () => {} },
    misses: { add: () => {} },
    onRedisError: () => {}
  })
  return async (authorization, model) => {
    const secret = bearerToken(authorization)
    const key = remembered(secret) ?? (await lookUp(secret))
    await confirmKey(redis, key, (records) => judgeCall(records, key.digest, catalog.current()!, model, 'chat'))
  }
}

await app.listen({ host: '127.0.0.1', port, backlog: 4096 })
