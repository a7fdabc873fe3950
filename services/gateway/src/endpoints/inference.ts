import type { ModelKind } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance } from 'fastify'
import type { TObject } from 'typebox'
import { admitRequest } from '../admission/admit-request.ts'
import { judgeCall } from '../admission/judge.ts'
import type { GatewayDependencies } from '../app.ts'
import type { CallsInFlight } from '../calls-in-flight.ts'
import { crossOriginFields } from '../cross-origin.ts'
import { type RelayRequest, relay } from '../relay/relay.ts'
import { type Call, clientClosedRequest, type Outcome } from '../settlement/outcome.ts'
import { readRequestBody, understand } from './request-body.ts'

/** What sets one endpoint for inference apart from the others. */
export type InferenceEndpoint = {
  /** Below `/v1`, here and at the upstream. */
  path: string
  kind: ModelKind
  /** The members that the gateway reads: `model` and, of an endpoint that can stream, `stream` and `stream_options`. */
  body: TObject
  streams: boolean
  /** The member of an event of its streams that holds the model's words. */
  wordsMember: string
}

/** The members that all of these endpoints have in common, as their schemas make sure. */
type CommonMembers = {
  model: string
  stream?: boolean | null
  stream_options?: Record<string, unknown> | null
}

/** Adds an endpoint that calls a model: the request is read, admitted and relayed, and what it used is settled. */
export function inferenceEndpoint(
  app: FastifyInstance,
  endpoint: InferenceEndpoint,
  dependencies: GatewayDependencies & Pick<RelayRequest, 'isDraining' | 'slowReaders'> & { calls: CallsInFlight }
): void {
  const { redis, catalog, upstreams, useLog, settlement, slowReaders, calls, isDraining } = dependencies
  const { path, kind, wordsMember } = endpoint
  const understood = understand(endpoint.body)

  app.post<{ Body: Buffer | null | undefined }>(`/v1${path}`, (request, reply) => {
    // Its body may have taken long, and nobody waits for it any more.
    if (isDraining()) throw new ServiceError('draining')
    const view = catalog.current()
    if (view === null) throw new ServiceError('state_unavailable')
    const known = request.knownKey!
    const { bytes, members, spans } = readRequestBody(request.body, understood)
    const { model: name, stream, stream_options: streamOptions = null } = members as CommonMembers
    calls.entered()
    admitRequest(redis, known, (records) => judgeCall(records, known.digest, view, name, kind)).then(
      () => {
        useLog.used(known.pointer.key)
        const { route, prices } = view.model(name, kind)!
        const isStream = stream === true && endpoint.streams
        const call: Call = { id: request.id, known, startedAt: request.startedAt, model: name, prices, isStream }
        reply.hijack()
        if (reply.raw.destroyed || request.raw.socket.destroyed) {
          calls.left()
          settlement.settle(call, neverCalled)
          return
        }
        const fields = crossOriginFields(request.headers.origin)
        relay({
          upstreams,
          route,
          path,
          body: bytes,
          spans,
          model: name,
          isStream,
          streamOptions,
          wordsMember,
          requestId: request.id,
          response: reply.raw,
          fields,
          slowReaders,
          isDraining,
          onFailure: (failure, upstream) =>
            request.log.warn({ err: failure, reqId: request.id, upstream }, 'upstream failed'),
          onEnd: (outcome) => {
            calls.left()
            settlement.settle(call, outcome)
          }
        })
      },
      (error) => {
        calls.left()
        reply.send(error)
      }
    )
  })
}

/** The client left before an upstream was called. */
const neverCalled: Outcome = {
  upstream: null,
  attempts: 0,
  status: clientClosedRequest,
  code: null,
  used: null,
  firstByteAt: null,
  clientGone: true
}
