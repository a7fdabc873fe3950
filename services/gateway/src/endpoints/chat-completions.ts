import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { admitRequest } from '../admission/admit-request.ts'
import { judgeCall } from '../admission/judge.ts'
import type { GatewayDependencies } from '../app.ts'
import { replaceValue } from '../body/members.ts'
import { relay } from '../relay/relay.ts'
import { readRequestBody, understand } from './request-body.ts'

/** What the gateway reads of a chat request; everything else passes through. */
const ChatRequest = understand(
  Type.Object({
    model: Type.String({ minLength: 1 }),
    messages: Type.Array(Type.Object({ role: Type.String() }), { minItems: 1 }),
    stream: Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))
  })
)

/** `POST /v1/chat/completions` */
export function chatCompletions(
  app: FastifyInstance,
  { redis, catalog, upstreams, isDraining }: GatewayDependencies & { isDraining: () => boolean }
): void {
  app.post<{ Body: Buffer | null | undefined }>('/v1/chat/completions', (request, reply) => {
    const view = catalog.current()
    if (view === null) throw new ServiceError('state_unavailable')
    const known = request.knownKey!
    const { bytes, members, spans } = readRequestBody(request.body, ChatRequest)
    admitRequest(redis, known, (records) => judgeCall(records, known.digest, view, members.model, 'chat')).then(
      () => {
        // The client may have left meanwhile.
        if (reply.raw.destroyed) return
        const target = view.model(members.model, 'chat')!.route[0]!
        const upstream = upstreams.get(target.upstream)
        if (upstream === undefined) {
          const cause = new Error(`no upstream is named ${target.upstream}`)
          reply.send(new ServiceError('internal_error', { cause }))
          return
        }
        const isRenamed = target.model !== members.model
        reply.hijack()
        relay({
          upstream,
          path: '/chat/completions',
          body: isRenamed ? replaceValue(bytes, spans.get('model')!, JSON.stringify(target.model)) : bytes,
          requestId: request.id,
          response: reply.raw,
          isDraining,
          onFailure: (failure) =>
            request.log.warn({ err: failure, reqId: request.id, upstream: upstream.name }, 'upstream failed')
        })
      },
      (error) => reply.send(error)
    )
  })
}
