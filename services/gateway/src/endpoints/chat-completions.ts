import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { admitRequest } from '../admission/admit-request.ts'
import { judgeCall } from '../admission/judge.ts'
import type { GatewayDependencies } from '../app.ts'
import { replaceValue } from '../body/members.ts'
import { relay } from '../relay/relay.ts'
import { readRequestBody } from './request-body.ts'

/** What the gateway reads of a chat request; everything else passes through. */
const ChatRequest = Compile(
  Type.Object({
    model: Type.String({ minLength: 1 }),
    messages: Type.Array(Type.Object({ role: Type.String() }), { minItems: 1 }),
    stream: Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))
  })
)

/** `POST /v1/chat/completions` */
export function chatCompletions(app: FastifyInstance, { redis, catalog, upstreams }: GatewayDependencies): void {
  app.post<{ Body: Buffer | null }>('/v1/chat/completions', async (request, reply) => {
    const view = catalog.current()
    if (view === null) throw new ServiceError('state_unavailable')
    const known = request.knownKey!
    const { bytes, members, spans } = readRequestBody(request.body, ChatRequest)
    await admitRequest(redis, known, (records) => judgeCall(records, known.digest, view, members.model, 'chat'))

    const target = view.model(members.model, 'chat')!.route[0]!
    const upstream = upstreams.get(target.upstream)
    if (upstream === undefined) {
      throw new ServiceError('internal_error', { cause: new Error(`no upstream is named ${target.upstream}`) })
    }
    const response = reply.raw
    if (response.destroyed) return reply.hijack()
    reply.hijack()
    relay({
      upstream,
      path: '/chat/completions',
      body:
        target.model === members.model ? bytes : replaceValue(bytes, spans.get('model')!, JSON.stringify(target.model)),
      requestId: request.id,
      response,
      onFailure: (failure) => request.log.warn({ err: failure, upstream: upstream.name }, 'upstream failed')
    })
    return reply
  })
}
