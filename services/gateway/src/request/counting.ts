import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { confirmKey } from '../admission/confirm-key.ts'
import { judgeCall } from '../admission/judge.ts'
import { refuseUnpriced } from '../admission/unpriced-members.ts'
import { memberOf } from '../body/json-text.ts'
import { loadedCatalog } from '../catalog/live-catalog.ts'
import { callAny, callOnce, type FreeAnswer } from '../free-calls/call-once.ts'
import { countFreeCall } from '../free-calls/count-free-call.ts'
import { renamedModel } from '../relay/conceal.ts'
import { forwardedBody } from '../relay/forwarded-body.ts'
import { orderTargets } from '../relay/targets.ts'
import { pinnedRoute } from '../stored/pinned-route.ts'
import type { CountingApi } from './api.ts'
import type { InferenceDependencies } from './dependencies.ts'
import { findOffer, nameEndpoints } from './find-offer.ts'
import { type ReadRequest, RequestReader } from './read-request.ts'
import { refuseUnknown } from './refuse-unknown.ts'

/**
 * Adds an endpoint that counts tokens. Counting costs nothing: its requests have a rate of their own, and are not in
 * the usage.
 */
export function countingEndpoint(
  app: FastifyInstance,
  endpoint: CountingApi,
  dependencies: InferenceDependencies
): void {
  const { errors } = endpoint.format
  const reader = new RequestReader(endpoint, dependencies, (request, reply, read) => {
    count(endpoint, request, read, dependencies).then(
      ({ status, body }) => {
        read.resources.release()
        for (const name of errors.requestIdHeaders) reply.header(name, request.id)
        reply.code(status).type('application/json').send(body)
      },
      (error) => reader.refuse(request, reply, error, read.resources)
    )
  })
  const handler = (request: FastifyRequest, reply: FastifyReply) => reader.read(request, reply)
  app.post(endpoint.route, { config: { isFree: true, errors } }, handler)
}

/** @throws ServiceError */
async function count(
  endpoint: CountingApi,
  request: FastifyRequest,
  { body, input }: ReadRequest,
  dependencies: InferenceDependencies
): Promise<FreeAnswer> {
  const { path, name: api, format, upstreamFields, refuseFields, refusePrompt } = endpoint
  const { admission, catalog, docsUrl, upstreams, useLog } = dependencies
  const { bytes, spans } = body
  const askedModel = memberOf(body.members, 'model') as string
  request.askedModel = askedModel
  const key = request.knownKey!
  const whole = loadedCatalog(catalog)
  const current = upstreams.current
  const view = current.offers.viewOf(whole)
  const fields = upstreamFields?.(request.headers) ?? []
  const named = view.find(askedModel)
  const name = named?.id ?? askedModel
  await confirmKey(admission.redis, key, (records) =>
    judgeCall(records, key.digest, request, view, name, 'chat')
  ).catch((error) => {
    throw nameEndpoints(error, askedModel, view, current)
  })
  await countFreeCall(admission.redis, key, view)
  useLog.used(key.pointer.key)
  const { model } = named!
  request.modelLabel = name
  request.allowedModel = name
  const offer = findOffer(name, model, api, current, dependencies)
  refuseFields?.(request.headers, offer)
  refuseUnpriced(body, model, endpoint)
  refusePrompt?.(body, model)
  refuseUnknown(spans, endpoint, offer)
  const route = orderTargets(pinnedRoute(offer.route, input))
  const options = {
    isStream: false,
    asksForUsage: false,
    sendsStandardTier: false,
    streamOptions: null,
    includesUsage: null,
    output: null,
    toolLimit: null
  }
  const forwarded = { ...options, body: bytes, spans, ids: input.ids, model: askedModel }
  const call = {
    path,
    requestId: request.id,
    trace: null,
    fields,
    refusal: format.refusal,
    docsUrl,
    report: dependencies
  }
  return callAny(route, current.byName, async (target, upstream) => {
    const answer = await callOnce(upstream, {
      ...call,
      body: forwardedBody(forwarded, target, upstream),
      renamed: renamedModel(route, askedModel)
    })
    if (answer.status === 200 && !isCount(answer)) throw new ServiceError('upstream_error', { cause: noCount() })
    return answer
  })
}

function isCount({ body }: FreeAnswer): boolean {
  try {
    return typeof memberOf(JSON.parse(body.toString()), 'input_tokens') === 'number'
  } catch {
    return false
  }
}

const noCount = () => new Error('the answer has no number of tokens')
