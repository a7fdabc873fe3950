import type { ModelKind } from '@tollgate/contracts/catalog/apis.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { formatNanos } from '@tollgate/contracts/money/usd.ts'
import type { LogsRequest } from '@tollgate/service/log/log-lines.ts'
import { otherLabel } from '@tollgate/service/metrics/fast-series.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Admission } from '../admission/admit-request.ts'
import { bodyMemoryOf } from '../admission/body-allowance.ts'
import { confirmKey } from '../admission/confirm-key.ts'
import { judgeCall } from '../admission/judge.ts'
import type { UseLog } from '../admission/use-log.ts'
import { lastPlanOf } from '../authenticate/known-key.ts'
import { type CatalogView, type LiveCatalog, loadedCatalog } from '../catalog/live-catalog.ts'
import type { AnswerRoom } from '../free-calls/answer-room.ts'
import { countFreeCall } from '../free-calls/count-free-call.ts'
import type { ErrorFormat } from '../http/error-format.ts'
import { routeOf } from '../http/route-of.ts'
import type { SlowReaders } from '../relay/slow-readers.ts'
import { costComment } from '../relay/write-head.ts'
import { clientClosedRequest } from '../settlement/outcome.ts'
import { logRequest, type RequestSender, senderOf } from '../telemetry/request-log.ts'
import type { Claim, Claimed } from './claim.ts'
import type { Idempotency } from './idempotency.ts'
import type { KeptAnswer } from './kept-answer.ts'
import type { SealedRequest } from './repeatable-request.ts'

/** A request that somebody else has claimed or answered. */
export interface RepeatedRequest {
  readonly repeatable: SealedRequest
  /** The client's name of its model, and its kind. */
  readonly model: string
  readonly kind: ModelKind
  readonly errors: ErrorFormat
}

/** What the answer to a repeated request needs. */
export interface RepeatDependencies {
  readonly idempotency: Idempotency
  readonly admission: Pick<Admission, 'redis'>
  readonly catalog: LiveCatalog
  readonly useLog: Pick<UseLog, 'used'>
  readonly logsRequest: LogsRequest
  readonly isDraining: () => boolean
  readonly answerRoom: AnswerRoom
  readonly slowReaders: Pick<SlowReaders, 'watch'>
  /** How long a request may wait for another one, ms. */
  readonly maxWaitMs: number
}

/**
 * Answers a repeated request: with the kept answer, if necessary after a wait. It is not admitted, so it reserves and
 * costs nothing. But its key must be allowed to call the model now, and it counts as a call that costs nothing.
 *
 * @param first what became of the request
 * @returns the claim if the request has to run after all; null if it is answered, or its client has left
 * @throws ServiceError to refuse it
 */
export async function answerRepeat(
  request: FastifyRequest,
  reply: FastifyReply,
  first: Exclude<Claimed, { outcome: 'claimed' }>,
  { repeatable, model, kind, errors }: RepeatedRequest,
  dependencies: RepeatDependencies
): Promise<Claim | null> {
  const { idempotency, admission, catalog, useLog } = dependencies
  const { metrics } = idempotency
  const key = request.knownKey!
  const sender = senderOf(request)
  const confirm = async (view: CatalogView) => {
    const id = view.find(model)?.id ?? model
    return confirmKey(admission.redis, key, (records) => judgeCall(records, key.digest, request, view, id, kind))
  }
  const view = loadedCatalog(catalog)
  request.modelLabel = view.find(model)?.id ?? otherLabel
  request.askedModel = model
  await confirm(view)
  await countFreeCall(admission.redis, key, view)
  let claimed: Claimed | null = first
  if (first.outcome === 'running') {
    metrics.asked('waited')
    claimed = await untilClaimed(request, reply, repeatable, dependencies)
    if (claimed === null) {
      request.trace?.cancelled(key)
      report(request, sender, clientClosedRequest, dependencies)
      return null
    }
    if (claimed.outcome === 'claimed') return claimed.claim
    // The wait may have been long.
    await confirm(loadedCatalog(catalog))
  }
  if (claimed.outcome !== 'kept') {
    const isOther = claimed.outcome === 'other'
    metrics.asked(isOther ? 'conflict' : 'lost')
    throw new ServiceError(isOther ? 'idempotency_key_reused' : 'idempotency_answer_lost')
  }
  const { answer } = claimed
  dependencies.answerRoom.hold(request, reply, key, answer.body.length, bodyMemoryOf(key, view))
  metrics.asked('replayed')
  useLog.used(key.pointer.key)
  report(request, sender, 200, dependencies)
  request.trace?.replayed(key)
  sendKept(request, reply, answer, errors)
  dependencies.slowReaders.watch(reply.raw)
  return null
}

/** @returns null if the client leaves */
async function untilClaimed(
  request: FastifyRequest,
  { raw }: FastifyReply,
  repeatable: SealedRequest,
  { idempotency, isDraining, maxWaitMs }: RepeatDependencies
): Promise<Claimed | null> {
  if (raw.destroyed || request.raw.socket.destroyed) return null
  const endsAt = performance.now() + maxWaitMs
  const waiting = idempotency.wait(repeatable, () => {
    // Another gateway can wait instead.
    if (isDraining()) return new ServiceError('draining')
    return performance.now() < endsAt ? null : new ServiceError('upstream_timeout')
  })
  const { promise: left, resolve } = Promise.withResolvers<null>()
  const onClose = () => resolve(null)
  raw.once('close', onClose)
  try {
    const claimed = await Promise.race([waiting.claimed, left])
    if (claimed === null) waiting.leave()
    return claimed
  } finally {
    raw.off('close', onClose)
  }
}

function sendKept(request: FastifyRequest, reply: FastifyReply, answer: KeptAnswer, errors: ErrorFormat): void {
  for (const name of errors.requestIdHeaders) reply.header(name, request.id)
  const isStream = answer.contentType.startsWith('text/event-stream')
  const showsCost = isStream && request.headers['x-tollgate-cost'] === 'true'
  if (!isStream) reply.header('x-tollgate-cost', formatNanos(0))
  if (answer.grantedTokens !== null) reply.header('x-tollgate-granted-output-tokens', String(answer.grantedTokens))
  reply
    .headers({
      'x-content-type-options': 'nosniff',
      'idempotency-replayed': 'true',
      'x-tollgate-original-request-id': answer.requestId
    })
    .type(answer.contentType)
    .send(showsCost ? Buffer.concat([answer.body, Buffer.from(costComment(0))]) : answer.body)
}

function report(
  request: FastifyRequest,
  sender: RequestSender,
  status: number,
  { logsRequest }: RepeatDependencies
): void {
  const { id, startedAt, knownKey: key, modelLabel } = request
  const endpoint = routeOf(request)
  request.server.answers.answered({ endpoint, model: modelLabel, plan: lastPlanOf(key), status, code: null })
  if (!logsRequest(status, null)) return
  const facts = { id, key, startedAt, endedAt: performance.now(), status, code: null, sender, endpoint }
  logRequest(request.log, facts, '"repeated":true,')
}
