import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { formatNanos } from '@tollgate/contracts/money/usd.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Admitted } from '../admission/admit-request.ts'
import { rateFields } from '../admission/rate-headers.ts'
import type { ProviderCount } from '../free-calls/provider-counts.ts'
import { crossOriginFields } from '../http/cross-origin.ts'
import type { Claim } from '../idempotency/claim.ts'
import { AnswerCopy } from '../relay/answer-copy.ts'
import { maxCallsOf } from '../relay/client-may-retry.ts'
import type { ForwardedRequest, GrantedOutput } from '../relay/forwarded-body.ts'
import { reportedFault } from '../relay/operator-faults.ts'
import { relay } from '../relay/relay.ts'
import type { RelayRequest } from '../relay/relay-request.ts'
import { type Charge, chargeOf } from '../settlement/charge.ts'
import { type Call, clientClosedRequest, type Outcome, type Used } from '../settlement/outcome.ts'
import type { StoredTokens } from '../stored/stored-responses.ts'
import { senderOf } from '../telemetry/request-log.ts'
import type { UpstreamSet } from '../upstreams/live-upstreams.ts'
import { isComplete, type ReportedUsage, type Usage } from '../usage/usage.ts'
import type { Api } from './api.ts'
import type { InferenceDependencies } from './dependencies.ts'
import type { RequestResources } from './request-resources.ts'

/** An admitted request, ready to be relayed. */
export interface AdmittedRequest {
  readonly metered: Pick<Call, 'model' | 'admitted' | 'costs' | 'tiers' | 'prompt' | 'promptKinds' | 'answers'>
  readonly forwarded: ForwardedRequest & Pick<RelayRequest, 'route' | 'format' | 'upstreamFields' | 'hidesOutput'>
  /** Whether another model serves it than the one that the client asked for, because a budget refused that one. */
  readonly isInstead: boolean
  /** The maximum tokens of earlier answers in its prompt, if the provider stores the answer; else null. */
  readonly chainTokens: number | null
  /** Bytes of its text, if the reported tokens of its prompt are of that text alone; else 0. */
  readonly textBytes: number
  /** The provider's count that bounds its prompt; null if something else does. */
  readonly providerCount: ProviderCount | null
  /** The upstreams in force at its admission. */
  readonly upstreams: UpstreamSet
  readonly resources: RequestResources
}

/**
 * Relays an admitted request, and settles it at its end. This is a separate function so that its closures, which live
 * as long as the answer, do not keep the parsed body in memory.
 */
export function startRelay(
  { path, kind, route: endpoint, showsUsageCost }: Api,
  dependencies: InferenceDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { metered, forwarded, isInstead, chainTokens, textBytes, providerCount, upstreams, resources }: AdmittedRequest
): void {
  const { settlement, upstreamMetrics, openCalls } = dependencies
  const { id, trace } = request
  const { claim } = resources
  trace?.admitted()
  const { isStream } = forwarded
  const { model, admitted } = metered
  const call = callOf(request, endpoint, kind, metered, forwarded)
  const { key } = call
  dependencies.useLog.used(key.pointer.key)
  reply.hijack()
  if (reply.raw.destroyed || request.raw.socket.destroyed) {
    settlement.cancel(call, neverCalled)
    resources.release()
    return
  }
  openCalls.began(isStream)
  /** The charge that the client was told, and the usage it was for. A stream may report other usage afterwards. */
  let charge: Charge | null = null
  let chargedFor: Used = null
  const asksForCost = request.headers['x-tollgate-cost'] === 'true'
  const copy = claim === null ? null : new AnswerCopy()
  // Spreading `forwarded` into the object would take twice the memory.
  relay({
    body: forwarded.body,
    spans: forwarded.spans,
    ids: forwarded.ids,
    model: forwarded.model,
    isStream,
    asksForUsage: forwarded.asksForUsage,
    sendsStandardTier: forwarded.sendsStandardTier,
    streamOptions: forwarded.streamOptions,
    includesUsage: forwarded.includesUsage,
    output: forwarded.output,
    toolLimit: forwarded.toolLimit,
    route: forwarded.route,
    format: forwarded.format,
    upstreamFields: forwarded.upstreamFields,
    hidesOutput: forwarded.hidesOutput,
    docsUrl: dependencies.docsUrl,
    upstreams: upstreams.byName,
    path,
    answers: call.answers,
    requestId: id,
    copy,
    costOf: (used) => {
      charge = chargeOf(call, used)
      chargedFor = used
      return charge === null ? null : charge.costNanos
    },
    showsCost: isStream && asksForCost,
    showsUsageCost: showsUsageCost === true && (asksForCost || forwarded.includesUsage === true),
    key,
    trace,
    maxCalls: maxCallsOf(request.headers['x-stainless-retry-count']),
    response: reply.raw,
    fields: answerFields(request, metered, isInstead, forwarded.output),
    slowReaders: dependencies.slowReaders,
    deadlines: dependencies.deadlines,
    abandonedStreams: dependencies.abandonedStreams,
    isDraining: dependencies.isDraining,
    onFailure: (failure, target, isRetried) => {
      upstreamMetrics.failed(target.upstream, isRetried)
      reportFailure(failure, target, request, upstreams, dependencies)
    },
    onIssued: (issued, usage, upstream) => {
      if (chainTokens === null) return
      const tokens = storedTokens(usage, admitted, chainTokens)
      dependencies.storedResponses.remember(key.pointer, { upstream, model }, issued, tokens)
    },
    onEnd: (outcome) => {
      try {
        openCalls.ended(isStream)
        const isTold = outcome.used !== null && (!isStream || outcome.used === chargedFor)
        settlement.settle(call, outcome, isTold ? charge : null)
        if (claim !== null) endClaim(claim, copy!, outcome, id, forwarded.output)
        const { used } = outcome
        if (textBytes > 0 && isCounted(used)) dependencies.promptSizes.reported(model, textBytes, used.promptTokens)
        if (providerCount !== null && isCounted(used))
          dependencies.providerCounts.billed(providerCount, used.promptTokens)
        reportEnd(outcome, upstreams, dependencies)
      } finally {
        resources.release()
      }
    }
  })
}

/** What settlement gets of an admitted request. */
function callOf(
  request: FastifyRequest,
  endpoint: string,
  kind: Api['kind'],
  { model, admitted, costs, tiers, prompt, promptKinds, answers }: AdmittedRequest['metered'],
  { model: askedModel, isStream, hidesOutput }: AdmittedRequest['forwarded']
): Call {
  const { id, startedAt, trace } = request
  return {
    id,
    key: request.knownKey!,
    startedAt,
    sender: senderOf(request),
    endpoint,
    kind,
    trace,
    model,
    askedModel,
    costs,
    tiers,
    isStream,
    admitted,
    hidesOutput,
    prompt,
    promptKinds,
    answers
  }
}

/** Logs a failed call, and reports what the failure says of the upstream's settings. */
function reportFailure(
  failure: ServiceError,
  { upstream, model: upstreamModel }: Target,
  { id, log }: FastifyRequest,
  current: UpstreamSet,
  { upstreams, upstreamHealth }: Pick<InferenceDependencies, 'upstreams' | 'upstreamHealth'>
): void {
  const fault = reportedFault(failure.code)
  if (fault === null) {
    log.warn({ err: failure, reqId: id, upstream }, 'upstream failed')
    return
  }
  log.error({ err: failure, reqId: id, upstream, upstreamModel }, 'upstream failed')
  // Calls with replaced settings say nothing of the present ones.
  if (upstreams.current !== current) return
  const credentialName = current.byName.get(upstream)?.models.credentialName ?? null
  upstreamHealth.failed(fault, { upstream, model: upstreamModel, credentialName })
}

/** Reports the last call of an ended request. */
function reportEnd(
  { upstream, upstreamModel, status, code, lastCall, firstByteAt, calledAt }: Outcome,
  current: UpstreamSet,
  { upstreams, upstreamHealth, upstreamMetrics }: InferenceDependencies
): void {
  if (lastCall !== null)
    upstreamMetrics.ended(upstream!, lastCall, firstByteAt === null ? null : firstByteAt - calledAt)
  if (upstream !== null && status === 200 && code === null && upstreams.current === current)
    upstreamHealth.answered(upstream, upstreamModel!)
}

/** Keeps a whole answer for repeats of its request. An answer that cost nothing may run again. */
function endClaim(
  claim: Claim,
  copy: AnswerCopy,
  { used }: Outcome,
  requestId: string,
  output: GrantedOutput | null
): void {
  const { contentType, isTooLong, bytes: body } = copy
  if (contentType === null || isFree(used)) claim.drop()
  else claim.keep(isTooLong ? null : { contentType, requestId, grantedTokens: output?.tokens ?? null, body })
}

/** Whether the provider reported all of the usage. */
const isCounted = (used: Used): used is Usage => used !== null && used !== 'hold' && !('received' in used)

const isFree = (used: Used): boolean => used === null || (isCounted(used) && !used.isServed)

/**
 * Bounds the tokens of an answer that the provider stores. Without reported usage, it has at most the reserved tokens.
 *
 * The next answer's prompt may have more tokens than this one's prompt and output, because providers may leave out
 * reasoning of earlier answers here, and use it there.
 */
function storedTokens(
  usage: ReportedUsage | null,
  { promptTokens, outputTokens, toolCalls }: Admitted,
  chainTokens: number
): StoredTokens {
  if (!isComplete(usage)) return { total: promptTokens + outputTokens, output: outputTokens }
  const added = Math.min(usage.promptTokens, promptTokens - chainTokens)
  const total = Math.max(usage.promptTokens, chainTokens + added) + usage.completionTokens
  // What the provider's tools found is in the prompt, and may be in the items, too.
  return { total, output: toolCalls === null ? usage.completionTokens : total }
}

/** Headers of every answer to an admitted request: names and values, alternating. */
function answerFields(
  request: FastifyRequest,
  { model, admitted }: AdmittedRequest['metered'],
  isInstead: boolean,
  output: GrantedOutput | null
): string[] {
  const { hold, rates, toolCalls } = admitted
  const fields = rateFields(rates, admitted)
  fields.push(...crossOriginFields(request.headers.origin))
  // Without this request's own reservation: what is left for it and all later requests.
  fields.push('x-tollgate-budget-remaining', formatNanos(Math.max(0, hold.budgetLeftNanos + hold.nanos)))
  if (output !== null && output.parameter !== null)
    fields.push('x-tollgate-granted-output-tokens', String(output.tokens))
  if (isInstead) fields.push('x-tollgate-model', model)
  if (toolCalls !== null) fields.push('x-tollgate-granted-tool-calls', String(toolCalls.calls))
  return fields
}

/** The client left before an upstream was called. */
const neverCalled: Outcome = {
  upstream: null,
  upstreamModel: null,
  attempts: 0,
  failedCalls: [],
  upstreamStatus: null,
  lastCall: null,
  calledAt: 0,
  status: clientClosedRequest,
  code: null,
  used: null,
  answeredModel: null,
  firstByteAt: null,
  clientGone: true
}
