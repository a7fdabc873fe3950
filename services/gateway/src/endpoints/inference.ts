import type { Model, ModelKind } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { type Admission, type Admitted, admitRequest, confirmKey } from '../admission/admit-request.ts'
import { judgeKey } from '../admission/judge.ts'
import { mayBeRefused } from '../admission/may-be-refused.ts'
import { rateFields } from '../admission/rate-headers.ts'
import { assertFewRefusals, countRefusal } from '../admission/refusals.ts'
import { refuseUnpriced } from '../admission/unpriced.ts'
import type { GatewayDependencies } from '../app.ts'
import type { MemberSpan } from '../body/members.ts'
import type { CallsInFlight } from '../calls-in-flight.ts'
import { crossOriginFields } from '../cross-origin.ts'
import type { ForwardedRequest, GrantedOutput } from '../relay/forwarded-body.ts'
import { maxCallsOf } from '../relay/may-retry.ts'
import { relay } from '../relay/relay.ts'
import type { RelayRequest } from '../relay/relay-request.ts'
import { type Call, clientClosedRequest, type Outcome } from '../settlement/outcome.ts'
import type { CountablePrompt } from '../tokens/count-prompt.ts'
import type { BoundedBody } from '../tokens/prompt-bound.ts'
import type { TokenBound } from '../tokens/token-bound.ts'
import type { Turns } from '../turns.ts'
import { membersAcceptedBy, refuseUnknown } from '../upstreams/accepted-members.ts'
import { bodyMemoryOf, mayNeedOtherPlan } from './body-allowance.ts'
import { type BodyReader, readBody } from './read-body.ts'
import { BodyReading, type RequestBody, understand } from './request-body.ts'

/** What sets one endpoint for inference apart from the others. */
export type InferenceEndpoint = {
  /** Below `/v1`, here and at the upstream. */
  path: string
  kind: ModelKind
  /** The members that the gateway reads: `model` and, of an endpoint that can stream, `stream` and `stream_options`. */
  body: TObject
  streams: boolean
  /** The member that holds the prompt. */
  promptMember: string
  /** The member of an event of its streams that holds the model's words. */
  wordsMember: string
  /**
   * The most tokens that a request can use, its prompt measured in bytes. An endpoint without one could not be metered.
   * @throws ServiceError unpriced_parameter
   */
  tokenBound: (body: BoundedBody, model: Model) => TokenBound
}

/** The members that all of these endpoints have in common, as their schemas make sure. */
type CommonMembers = Partial<GrantedOutput['asked']> & {
  model: string
  stream?: boolean | null
  stream_options?: Record<string, unknown> | null
}

export type InferenceDependencies = Omit<GatewayDependencies, 'admission'> & { admission: Admission } & Pick<
    RelayRequest,
    'isDraining' | 'slowReaders' | 'deadlines' | 'abandonedStreams'
  > & { calls: CallsInFlight; bodies: BodyReader; turns: Turns }

/** Adds an endpoint that calls a model: the request is read, admitted and relayed, and what it used is settled. */
export function inferenceEndpoint(
  app: FastifyInstance,
  endpoint: InferenceEndpoint,
  dependencies: InferenceDependencies
): void {
  const { admission, catalog, estimator, upstreams, useLog, settlement, calls, bodies } = dependencies
  const { slowReaders, deadlines, abandonedStreams, isDraining } = dependencies
  const { turns } = dependencies
  const { path, kind, wordsMember } = endpoint
  const understood = understand(endpoint.body)
  const membersOf = membersAcceptedBy(upstreams)

  app.post(`/v1${path}`, { config: { isMetered: true } }, (request, reply) => {
    const known = request.knownKey!
    try {
      assertFewRefusals(known)
    } catch (error) {
      reply.send(error)
      return
    }
    if (!mayBeRefused(known) && !mayNeedOtherPlan(request.raw, known, catalog.current())) {
      read(request, reply)
      return
    }
    // What is refused is refused on the present records.
    confirmKey(admission.redis, known, (records) => judgeKey(records, known.digest)).then(
      () => read(request, reply),
      (error) => reply.send(error)
    )
  })

  function read(request: FastifyRequest, reply: FastifyReply): void {
    const known = request.knownKey!
    const allowance = bodyMemoryOf(known, catalog.current())
    readBody(request.raw, reply.raw, bodies, known, allowance, (failure, bytes, heldBytes) => {
      try {
        if (failure !== null) throw failure
        understandBody(request, reply, bytes, heldBytes)
      } catch (error) {
        refuse(request, reply, error, heldBytes)
      }
    })
  }

  /** Answers a request that was refused before it could be admitted. */
  function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown, heldBytes: number): void {
    const known = request.knownKey!
    bodies.memory.release(known, heldBytes)
    countRefusal(known, error, catalog.current())
    reply.send(error)
  }

  /** @param heldBytes of memory, to be released when the request is over */
  function understandBody(request: FastifyRequest, reply: FastifyReply, bytes: Buffer, heldBytes: number): void {
    const reading = new BodyReading(bytes, understood)
    if (reading.isShort) {
      while (!reading.step());
      call(request, reply, reading.body, heldBytes)
      return
    }
    turns.run(
      () => reading.step(),
      (failure) => {
        try {
          if (failure !== null) throw failure
          call(request, reply, reading.body, heldBytes)
        } catch (error) {
          refuse(request, reply, error, heldBytes)
        }
      }
    )
  }

  function call(request: FastifyRequest, reply: FastifyReply, body: RequestBody<unknown>, heldBytes: number): void {
    // Its body may have taken long, and nobody waits for it any more.
    if (isDraining()) throw new ServiceError('draining')
    const view = catalog.current()
    if (view === null) throw new ServiceError('state_unavailable')
    const known = request.knownKey!
    const { bytes, members, spans } = body
    const common = members as CommonMembers
    const { model: name, stream, stream_options: streamOptions = null, max_tokens, max_completion_tokens } = common
    // What follows must not keep all of the members in memory for as long as the answer takes.
    const asked = { max_tokens, max_completion_tokens }
    const model = view.model(name, kind)
    let bound: TokenBound | null = null
    const prompt: CountablePrompt | null =
      model === null || model.tokenizer === null
        ? null
        : {
            body: bytes,
            kind,
            media: { images: model.images, audio: model.audio },
            promptBytes: lengthOf(spans.get(endpoint.promptMember))
          }
    calls.entered()

    admitRequest(admission, {
      id: request.id,
      known,
      catalog: view,
      name,
      kind,
      model,
      bound: (allowed) => {
        refuseUnpriced(body)
        bound = endpoint.tokenBound(body, allowed)
        // Last: a member without a price is refused as such.
        refuseUnknown(spans, membersOf(allowed))
        return bound
      },
      count: () => (prompt === null ? null : estimator.countPrompt(prompt))
    }).then(
      (admitted) => {
        const { route, outputParameter: parameter } = model!
        const output = kind === 'embedding' ? null : { parameter, tokens: admitted.hold.grantedTokens, asked }
        const isStream = stream === true && endpoint.streams
        const { answers, hidesAnswers } = bound!
        const hidesOutput = model!.hidesOutput === true || hidesAnswers === true
        start(request, reply, { admitted, prices: model!.prices, prompt, answers }, heldBytes, {
          route,
          body: bytes,
          spans,
          model: name,
          isStream,
          streamOptions,
          output,
          hidesOutput,
          // Of several answers the words come in turn; beside them stands to which they belong.
          wordsMember: answers > 1 ? 'choices' : wordsMember
        })
      },
      (error) => {
        calls.left()
        refuse(request, reply, error, heldBytes)
      }
    )
  }

  /** What is under way for as long as an answer takes keeps nothing of its request but what it needs. */
  function start(
    request: FastifyRequest,
    reply: FastifyReply,
    metered: Pick<Call, 'admitted' | 'prices' | 'prompt' | 'answers'>,
    heldBytes: number,
    forwarded: ForwardedRequest & Pick<RelayRequest, 'route' | 'wordsMember' | 'hidesOutput'>
  ): void {
    const { id, startedAt, log } = request
    const known = request.knownKey!
    const { model, isStream, hidesOutput } = forwarded
    const { admitted, prices, prompt, answers } = metered
    const call: Call = { id, known, startedAt, model, prices, isStream, admitted, hidesOutput, prompt, answers }
    useLog.used(known.pointer.key)
    reply.hijack()
    if (reply.raw.destroyed || request.raw.socket.destroyed) {
      calls.left()
      bodies.memory.release(known, heldBytes)
      settlement.cancel(call, neverCalled)
      return
    }
    relay({
      ...forwarded,
      upstreams,
      path,
      listMember: kind === 'embedding' ? 'data' : 'choices',
      answers,
      requestId: id,
      maxCalls: maxCallsOf(request.headers['x-stainless-retry-count']),
      response: reply.raw,
      fields: answerFields(request, admitted, forwarded.output),
      slowReaders,
      deadlines,
      abandonedStreams,
      isDraining,
      onFailure: (failure, upstream) => {
        const level = needsOperator.has(failure.code) ? 'error' : 'warn'
        log[level]({ err: failure, reqId: id, upstream }, 'upstream failed')
      },
      onEnd: (outcome) => {
        calls.left()
        bodies.memory.release(known, heldBytes)
        settlement.settle(call, outcome)
      }
    })
  }
}

const lengthOf = (span: MemberSpan | undefined): number => (span === undefined ? 0 : span.end - span.start)

/** Headers that every answer to an admitted request has. */
function answerFields(
  request: FastifyRequest,
  { rates, tokensPerMinute }: Admitted,
  output: GrantedOutput | null
): string[] {
  const fields = [...rateFields(rates, tokensPerMinute), ...crossOriginFields(request.headers.origin)]
  if (output !== null) fields.push('x-tollgate-granted-output-tokens', String(output.tokens))
  return fields
}

/** Failures of an upstream that last until its operator does something. */
const needsOperator: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'upstream_rejected_credentials',
  'upstream_quota_exhausted'
])

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
