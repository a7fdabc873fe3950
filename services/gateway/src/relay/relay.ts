import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { retryHeaders } from '../http/failures.ts'
import { clientClosedRequest, type FailedCall } from '../settlement/outcome.ts'
import { afterHangUp } from './after-hang-up.ts'
import { Attempt } from './attempt.ts'
import { attemptUsage, canLeave } from './attempt-usage.ts'
import type { End } from './charged-usage.ts'
import { mayClientRetry, type RetryScope } from './client-may-retry.ts'
import type { OpenRequest } from './deadlines.ts'
import type { RelayRequest } from './relay-request.ts'
import type { AttemptOwner } from './sink.ts'
import { callableTarget, failOver, orderTargets } from './targets.ts'
import { headFields, writeError } from './write-head.ts'

/** Maximum time for an upstream to end a stream after the client left, ms. The bytes until then are counted. */
const maxLeavingMs = 1000

/**
 * Relays a request to an upstream of its model's route, and passes the answer to the client as it arrives, no faster
 * than the client reads. Until an answer begins, another call may replace a failed one: of another upstream, or of the
 * same one a little later. The relay always ends the response.
 *
 * When the client leaves, a single body is read to its end for its usage. A stream is read to its end if the provider
 * would bill more than the part that arrived, or if the client may ask for the same answer again. Other streams are
 * aborted. The same happens when its key or account ends the request: see ../revocation.
 */
export function relay(request: RelayRequest): void {
  new Relay(request).begin()
}

/** One request to a model. Starts its attempts, decides what follows a failure, and ends the request. */
class Relay implements AttemptOwner, OpenRequest {
  readonly beganAt = performance.now()
  earlier: OpenRequest | null = null
  later: OpenRequest | null = null
  stillReads: AttemptOwner['stillReads'] = null
  readonly #request: RelayRequest
  /** The targets that may still be called. */
  #order: readonly Target[]
  /** The targets of all attempts so far. */
  readonly #tried: Target[] = []
  /** The last attempt. */
  #attempt: Attempt | null = null
  #failedCalls: readonly FailedCall[] = noneFailed
  #retryTimer: NodeJS.Timeout | undefined
  /** The last transient failure. */
  #transientFailure: ServiceError | null = null
  #firstByteAt: number | null = null
  #clientGone = false
  /** The failure that the client got at the deadline or by {@link cut}, while the answer is still read. */
  #sentFailure: { status: number; code: string | null } | null = null
  #leavingTimer: NodeJS.Timeout | undefined
  #done = false

  constructor(request: RelayRequest) {
    this.#request = request
    this.#order = orderTargets(request.route)
    request.response.once('close', this.#onClose)
    request.deadlines.add(this)
  }

  get isServed(): boolean {
    return !this.#clientGone && this.#sentFailure === null
  }

  get key(): OpenRequest['key'] {
    return this.#request.key
  }

  begin(): void {
    // A route has at least one upstream that the gateway has, so there is a target.
    this.#call(callableTarget(this.#order, this.#tried, this.#request.upstreams, this.beganAt)!.target)
  }

  /** Ends the request at its deadline. */
  expire(): void {
    if (this.#done) return
    clearTimeout(this.#retryTimer)
    const failure = new ServiceError('upstream_timeout')
    const attempt = this.#attempt
    if (this.stillReads === null) {
      this.#sentFailure ??= this.#sendFailure(failure)
      this.#request.response.off('close', this.#onClose)
    }
    if (attempt === null || !attempt.isUnderWay) this.finish(failure.status, failure.code, 'unserved')
    else if (this.stillReads === null && !this.#clientGone && canLeave(attempt)) this.#leave(attempt)
    else this.#abort(attempt)
  }

  /** Ends the request for its client, as if the client had hung up. */
  cut(failure: ServiceError): void {
    if (this.#done || !this.isServed) return
    this.#sentFailure = this.#sendFailure(failure)
    this.#request.response.off('close', this.#onClose)
    this.#abandon()
  }

  #call(target: Target): void {
    const upstream = this.#request.upstreams.get(target.upstream)!
    const isRepeat = this.#hasCalled(target.upstream)
    this.#tried.push(target)
    this.#attempt = new Attempt(this, this.#request, upstream, target, isRepeat)
    this.#attempt.begin()
  }

  #hasCalled(upstream: string): boolean {
    for (const target of this.#tried) if (target.upstream === upstream) return true
    return false
  }

  writeHead(status: number, contentType: string, length: number, cost: number | null): void {
    const request = this.#request
    this.#firstByteAt = performance.now()
    request.response.writeHead(status, headFields(request, contentType, length, cost, null))
    // A stream may last long, so this frees memory.
    request.fields = noFields
    request.spans = noSpans
    request.ids = []
  }

  passOnRefusal(status: number, code: string, json: string): void {
    const { costOf } = this.#request
    if (this.isServed) writeError(this.#request, status, json, costOf === null ? null : 0, refusedHeaders)
    this.finish(status, code, 'unserved')
  }

  failed(failure: ServiceError, scope: RetryScope, end: End): void {
    const attempt = this.#attempt!
    const { name, retries } = attempt.upstream
    const { response, upstreams, maxCalls, onFailure } = this.#request
    attempt.trace?.failed(failure.code)
    const now = performance.now()
    const status = attempt.receivedStatus === 0 ? null : attempt.receivedStatus
    const failed = { upstream: name, code: failure.code, status, beganAt: attempt.beganAt, endedAt: now }
    this.#failedCalls = [...this.#failedCalls, failed]
    if (scope === 'anywhere') this.#transientFailure = failure
    if (scope === 'elsewhere') this.#order = this.#order.filter(({ upstream }) => upstream !== name)
    const next = failOver(
      {
        scope,
        isOpen: this.isServed && !response.headersSent,
        order: this.#order,
        tried: this.#tried,
        maxCalls,
        isRetryAllowed: retries.isAllowed
      },
      upstreams,
      now
    )
    onFailure(failure, attempt.target, next !== null)
    if (next === null) {
      // After several failures, the client gets a transient one, if any. But a proxy may repeat a request after 503,
      // and this one is charged.
      const lastFailure = scope === 'elsewhere' && end === 'unserved' ? (this.#transientFailure ?? failure) : failure
      const lastScope = lastFailure === failure ? scope : 'anywhere'
      this.#finishWith(lastFailure, end, mayClientRetry(lastFailure, lastScope, this.#tried.length, maxCalls))
      return
    }
    if (next.isRetry) retries.take()
    if (next.waitMs === 0) this.#call(next.target)
    else {
      this.#retryTimer = setTimeout(() => {
        this.#retryTimer = undefined
        this.#call(next.target)
      }, next.waitMs)
    }
  }

  /** @param shouldRetry whether the client should send the request again; if absent, the failure's code decides */
  #finishWith(failure: ServiceError, end: End, shouldRetry?: boolean): void {
    const { status, code } = this.#sendFailure(failure, shouldRetry, this.#costOf(end))
    this.finish(status, code, end)
  }

  /** The cost of a request that ends now, for its headers; null if its usage must be estimated first. */
  #costOf(end: End): number | null {
    const { costOf, response } = this.#request
    if (costOf === null || response.headersSent) return null
    return end === 'unserved' ? 0 : costOf(attemptUsage(this.#attempt!, end))
  }

  /** Sends the client a failure: a status; after the answer began, an event or the end of the connection. */
  #sendFailure(
    failure: ServiceError,
    shouldRetry?: boolean,
    cost: number | null = null
  ): { status: number; code: string } {
    const { code } = failure
    const hasBegun = this.#request.response.headersSent
    const status = hasBegun ? this.#attempt!.status : failure.status
    if (!this.isServed) return { status, code }
    if (hasBegun) this.#attempt!.sink!.interrupt(failure)
    else {
      const json = this.#request.format.errors.body(failure, this.#request)
      writeError(this.#request, status, json, cost, retryHeaders(failure, shouldRetry))
    }
    return { status, code }
  }

  finish(status: number, code: string | null, end: End): void {
    if (this.#done) return
    this.#done = true
    clearTimeout(this.#leavingTimer)
    const attempt = this.#attempt
    attempt?.close()
    attempt?.trace?.ended(code)
    const { response, deadlines, abandonedStreams, slowReaders, onEnd } = this.#request
    deadlines.remove(this)
    if (this.stillReads === 'to the end') abandonedStreams.remove()
    response.off('close', this.#onClose)
    if (response.socket?.writableLength !== 0) slowReaders.watch(response)
    const sent = this.#sentFailure ?? { status, code }
    onEnd({
      upstream: attempt === null ? null : attempt.upstream.name,
      upstreamModel: attempt === null ? null : attempt.target.model,
      attempts: this.#tried.length,
      failedCalls: this.#failedCalls,
      upstreamStatus: attempt === null || attempt.receivedStatus === 0 ? null : attempt.receivedStatus,
      lastCall: attempt === null ? null : attempt.ending,
      calledAt: attempt === null ? 0 : attempt.beganAt,
      status: this.#clientGone && this.#firstByteAt === null ? clientClosedRequest : sent.status,
      code: sent.code,
      used: end === 'unserved' ? null : attemptUsage(attempt!, end),
      answeredModel: attempt?.sink?.answer?.model ?? null,
      firstByteAt: this.#firstByteAt,
      clientGone: this.#clientGone
    })
  }

  readonly #onClose = (): void => {
    this.#clientGone = true
    this.#abandon()
  }

  /** Ends a request whose client gets nothing more of the answer. */
  #abandon(): void {
    const attempt = this.#attempt
    const sink = attempt?.sink ?? null
    const { copy } = this.#request
    sink?.detach()
    const next = afterHangUp({
      isStream: this.#request.isStream,
      awaitsRetry: attempt === null || this.#retryTimer !== undefined,
      isUnderWay: attempt?.isUnderWay === true,
      response: sink?.kind ?? null,
      canEndEarly: attempt !== null && canLeave(attempt),
      mayRepeat: this.#clientGone && copy !== null && !copy.isTooLong
    })
    clearTimeout(this.#retryTimer)
    if (next === 'end') this.finish(attempt?.status ?? 0, null, 'unserved')
    else if (next === 'read whole') attempt!.resumeReading()
    else if (next === 'cut refusal') sink!.cut()
    else if (next === 'end early') this.#leave(attempt!)
    else if (this.#request.abandonedStreams.tryAdd()) this.#readToItsEnd(attempt!)
    else if (canLeave(attempt!)) this.#leave(attempt!)
    else this.#abort(attempt!)
  }

  /** Reads the answer to its end: for its usage, or for a client that asks again. */
  #readToItsEnd(attempt: Attempt): void {
    this.stillReads = 'to the end'
    attempt.resumeReading()
  }

  /** Ends a stream early, and reads the bytes that the provider still sends. */
  #leave(attempt: Attempt): void {
    this.stillReads = 'briefly'
    // After a suspension of the process, timers run before sockets are read.
    const abort = () => setImmediate(() => this.#abort(attempt))
    this.#leavingTimer = setTimeout(abort, maxLeavingMs)
    attempt.leave()
  }

  #abort(attempt: Attempt): void {
    this.finish(attempt.status, null, attempt.sink?.kind === 'refusal' ? 'unserved' : 'cut')
    attempt.abort()
  }
}

const noFields: readonly string[] = []
const noneFailed: readonly FailedCall[] = []
/** A provider would refuse the same request again. */
const refusedHeaders = { 'x-should-retry': 'false' }
const noSpans: RelayRequest['spans'] = new Map()
