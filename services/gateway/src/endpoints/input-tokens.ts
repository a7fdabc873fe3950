import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { InputTokensRequest } from '@tollgate/contracts/http/inference.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { confirmKey } from '../admission/admit-request.ts'
import { judgeCall } from '../admission/judge.ts'
import { refuseUnpriced } from '../admission/unpriced-members.ts'
import { callableTarget } from '../relay/callable-target.ts'
import { forwardedBody } from '../relay/forwarded-body.ts'
import { orderTargets } from '../relay/order-targets.ts'
import { callOnce } from '../stored/call-once.ts'
import { countFreeCall } from '../stored/count-free-call.ts'
import { pinnedRoute } from '../stored/pinned-route.ts'
import { refuseUnknown } from '../upstreams/accepted-members.ts'
import { wrongEndpoint } from '../upstreams/offers.ts'
import type { InferenceDependencies } from './inference-endpoint.ts'
import { type ReadRequest, RequestReader } from './read-request.ts'
import { namedInputOf } from './responses.ts'

const path = '/responses/input_tokens'
const accepted: ReadonlySet<string> = new Set(Object.keys(InputTokensRequest.properties))

/** `POST /v1/responses/input_tokens`: the provider counts the input of a response. It costs nothing. */
export function inputTokens(app: FastifyInstance, dependencies: InferenceDependencies): void {
  const endpoint = { body: InputTokensRequest, namedInput: namedInputOf }
  const reader = new RequestReader(endpoint, dependencies, (request, reply, read) => {
    const { calls, bodies } = dependencies
    calls.entered()
    count(request, read, dependencies)
      .finally(() => calls.left())
      .then(
        (body) => {
          bodies.memory.release(request.knownKey!, read.heldBytes)
          reply.header('x-request-id', request.id).type('application/json').send(body)
        },
        (error) => reader.refuse(request, reply, error, read.heldBytes)
      )
  })
  const handler = (request: FastifyRequest, reply: FastifyReply) => reader.read(request, reply)
  app.post(`/v1${path}`, { config: { isFree: true } }, handler)
}

/** @throws ServiceError */
async function count(
  request: FastifyRequest,
  { body, found }: ReadRequest,
  { admission: { redis }, catalog, upstreams, useLog }: InferenceDependencies
): Promise<Buffer> {
  const { bytes, members, spans } = body
  const { model: name } = members as Static<typeof InputTokensRequest>
  const known = request.knownKey!
  const whole = catalog.current()
  if (whole === null) throw new ServiceError('state_unavailable')
  const { offers, byName } = upstreams.current
  const view = offers.viewOf(whole)
  await confirmKey(redis, known, (records) => judgeCall(records, known.digest, view, name, 'chat'))
  await countFreeCall(redis, known, view)
  useLog.used(known.pointer.key)
  const model = view.model(name, 'chat')!
  request.modelLabel = name
  const offer = offers.of(model).get('responses')
  if (offer === undefined) throw wrongEndpoint(name, offers.of(model))
  refuseUnpriced(body, model)
  refuseUnknown(spans, accepted)
  const route = orderTargets(pinnedRoute(offer.route, found))
  const { target } = callableTarget(route, [], byName, performance.now()) ?? { target: route[0]! }
  const asked = { isStream: false, asksForUsage: false, sendsStandardTier: false, streamOptions: null, output: null }
  const upstream = byName.get(target.upstream)!
  return callOnce(upstream, {
    path,
    requestId: request.id,
    trace: null,
    fields: [],
    body: forwardedBody({ ...asked, body: bytes, spans, ids: found.ids, model: name }, target, upstream)
  })
}
