import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import type { AttemptTrace } from '../telemetry/attempt-trace.ts'
import type { AttemptEnd } from '../telemetry/upstream-metrics.ts'
import { type AnswerHandler, type AnswerHead, type CallController, CallError } from '../upstreams/upstream-pool.ts'
import type { Upstream } from '../upstreams/upstreams.ts'
import { AnswerDecoder, isIdentity } from './answer-decoder.ts'
import { attemptUsage } from './attempt-usage.ts'
import { type End, endOfMalformed } from './charged-usage.ts'
import { classifyHead } from './client-may-retry.ts'
import { type Hidden, renamedModel } from './conceal.ts'
import { forwardedBody } from './forwarded-body.ts'
import type { OperatorFault } from './operator-faults.ts'
import type { RefusalReason } from './read-refusal.ts'
import { maxRefusalBytes, Refusal } from './refusal.ts'
import type { RelayRequest } from './relay-request.ts'
import type { AttemptOwner, IssuingAnswer, Sink, SinkAttempt } from './sink.ts'
import { StreamAnswer } from './stream-answer.ts'
import {
  type CallFailure,
  classifyStatus,
  failureOfError,
  failureOfFault,
  isCutByUs,
  isMalformed,
  needsReason,
  readWaitMs,
  scopeOfError
} from './upstream-failure.ts'
import { WholeAnswer } from './whole-answer.ts'

/** One call of an upstream for a request, with its own state. After its end, it ignores the events of the pool. */
export class Attempt implements AnswerHandler, SinkAttempt {
  readonly request: RelayRequest
  readonly upstream: Upstream
  readonly target: Target
  /** The status of the upstream's response; 0 before an answer or a refusal begins. */
  status = 0
  /** The status of any response; 0 before it. */
  receivedStatus = 0
  /** `performance.now()` when the call began. */
  beganAt = 0
  /** How the call ended. */
  ending: AttemptEnd = 'abandoned'
  isWrongKind = false
  isAccepted = false
  /** null if the request is not traced. */
  readonly trace: AttemptTrace | null
  /** Takes the response; null before its head. */
  sink: Sink | null = null
  readonly #owner: AttemptOwner
  /** Whether the request called this upstream before. */
  readonly #isRepeat: boolean
  #isProbe = false
  #hasIssued = false
  #controller: CallController | null = null
  /** Decodes the answer, if it is compressed. */
  #decoder: AnswerDecoder | null = null
  #isOver = false

  constructor(owner: AttemptOwner, request: RelayRequest, upstream: Upstream, target: Target, isRepeat: boolean) {
    this.#owner = owner
    this.request = request
    this.upstream = upstream
    this.target = target
    this.#isRepeat = isRepeat
    this.trace = request.trace === null ? null : request.trace.attempt(upstream, target.model)
  }

  get isServed(): boolean {
    return this.#owner.isServed
  }

  /** Whether the call has a connection and has not ended. */
  get isUnderWay(): boolean {
    return this.#controller !== null && !this.#isOver
  }

  begin(): void {
    const { path, requestId, upstreamFields } = this.request
    const trace = this.trace === null ? null : this.trace.headers
    const { breaker, retries, pool } = this.upstream
    this.beganAt = performance.now()
    this.#isProbe = breaker.begin(this.beganAt)
    retries.called()
    const body = forwardedBody(this.request, this.target, this.upstream)
    pool.dispatch({ path, requestId, trace, fields: upstreamFields, body }, this)
  }

  onRequestStart(controller: CallController): void {
    // The client may have left while the request waited for a connection.
    if (this.#isOver) controller.abort(clientGone)
    else this.#controller = controller
  }

  onResponseStart(controller: CallController, status: number, head: AnswerHead): void {
    if (this.#isOver) return
    this.receivedStatus = status
    this.trace?.answered(status)
    if (status < 300) {
      this.#beginAnswer(controller, status, head)
      return
    }
    const now = performance.now()
    // A redirect is a failure, because no API redirects calls of models.
    if (status >= 500 || status < 400) this.#countFailure(now)
    else this.upstream.breaker.succeeded(this.#isProbe, now)
    if (needsReason(status)) {
      this.status = status
      this.sink = new Refusal(this, head)
      return
    }
    this.close()
    // A short body is read to its end, so that the connection can be reused.
    if (head.contentLength < 0 || head.contentLength > maxRefusalBytes) controller.abort(answered)
    this.#failed(classifyStatus(status, undefined, readWaitMs(head))!, 'unserved')
  }

  onResponseData(_controller: CallController, chunk: Buffer): void {
    if (this.#isOver) return
    if (this.#decoder !== null) this.#decoder.write(chunk)
    else this.#push(this.sink!, chunk)
  }

  onResponseEnd(_controller: CallController): void {
    if (this.#isOver) return
    if (this.#decoder !== null) this.#decoder.end(null)
    else this.sink!.end()
  }

  onResponseError(_controller: CallController | null, error: Error): void {
    if (this.#isOver) return
    this.#controller = null
    if (this.#decoder !== null) this.#decoder.end(error)
    else this.#breakOff(error, this.sink?.hasBegun === true || isCutByUs(error) ? 'cut' : 'unserved')
  }

  /** Ends the attempt. The rest of the response is ignored. */
  close(): void {
    this.#isOver = true
    this.sink?.close()
    this.#decoder?.destroy()
  }

  /** Aborts the call if it is under way. */
  abort(): void {
    this.#controller?.abort(clientGone)
  }

  /** Tells the upstream that the client left, and reads the bytes that it still sends. */
  leave(): void {
    this.resumeReading()
    this.#controller?.leave(clientGone)
  }

  /** Resumes reading after a slow client paused it. */
  resumeReading(): void {
    this.#decoder?.resume()
    this.#controller?.resume()
  }

  // The sink calls these methods.

  pause(): void {
    const source = this.#decoder ?? this.#controller
    source?.pause()
  }

  resume(): void {
    const source = this.#decoder ?? this.#controller
    source?.resume()
  }

  accept(): void {
    if (this.isAccepted) return
    this.isAccepted = true
    this.upstream.breaker.succeeded(this.#isProbe, performance.now())
  }

  noteIssued({ issued, usage }: IssuingAnswer): void {
    if (issued === null || this.#hasIssued) return
    this.#hasIssued = true
    this.request.onIssued(issued, usage, this.upstream.name)
  }

  writeHead(contentType: string, length: number, cost: number | null): void {
    this.#owner.writeHead(this.status, contentType, length, cost)
  }

  costOfWhole(): number | null {
    const { costOf } = this.request
    return costOf === null ? null : costOf(attemptUsage(this, 'whole'))
  }

  complete(contentType: string): void {
    this.request.copy?.complete(contentType)
    this.ending = 'success'
    this.#owner.finish(this.status, null, 'whole')
  }

  hidden(): Hidden {
    const { route, model } = this.request
    const { credential, baseUrl } = this.upstream
    return { secret: credential, renamed: renamedModel(route, model), host: baseUrl.host }
  }

  rejectAnswer(how: string, fault: OperatorFault | null = null): void {
    const controller = this.#controller
    const error = new CallError('malformed_answer', `the upstream's answer ${how}`)
    const failed = fault === null ? null : failureOfFault(fault, error)
    this.#breakOff(error, endOfMalformed(this.sink === null ? null : this.sink.answer), failed)
    controller?.abort(error)
  }

  refused(reason: RefusalReason, failed: CallFailure | null, goesOn: boolean): void {
    this.close()
    if (goesOn) this.#controller?.abort(answered)
    if (failed !== null) {
      this.#failed(failed, 'unserved')
      return
    }
    this.ending = 'refused'
    const { format, docsUrl, requestId } = this.request
    const context = { docsUrl, requestId, status: this.status, ...this.hidden() }
    const { code, body } = format.refusal(reason, context)
    this.#owner.passOnRefusal(this.status, code, body)
  }

  #beginAnswer(controller: CallController, status: number, head: AnswerHead): void {
    const kind = classifyHead(status, head)
    if (typeof kind !== 'string') {
      this.rejectAnswer(kind.fault)
      return
    }
    this.status = status
    this.isWrongKind = (kind === 'stream') !== this.request.isStream
    const { contentEncoding: encoding, contentLength } = head
    const isEncoded = encoding !== undefined && !isIdentity(encoding)
    this.sink = kind === 'stream' ? new StreamAnswer(this) : new WholeAnswer(this, isEncoded ? -1 : contentLength)
    if (isEncoded) this.#decoder = this.#decode(this.sink, controller, encoding)
  }

  #decode(sink: Sink, controller: CallController, encoding: string): AnswerDecoder {
    return new AnswerDecoder(
      encoding,
      controller,
      (bytes) => {
        if (!this.#isOver) this.#push(sink, bytes)
      },
      (failure, isBroken) => {
        if (this.#isOver) return
        if (failure === null) {
          sink.end()
          return
        }
        this.#breakOff(failure, isBroken ? endOfMalformed(sink.answer) : 'cut')
        controller.abort(failure)
      }
    )
  }

  #push(sink: Sink, bytes: Buffer): void {
    if (this.trace !== null) this.trace.received(bytes)
    sink.push(bytes)
  }

  /**
   * Call this if the call failed before the end of its body, or if its body is not an answer.
   *
   * @param failed what an answer reported that only the operator can repair; null for other failures
   */
  #breakOff(error: Error, end: End, failed: CallFailure | null = null): void {
    this.close()
    const { sink } = this
    if (sink?.cut() === true) return
    const { stillReads } = this.#owner
    if (failed !== null) this.upstream.breaker.succeeded(this.#isProbe, performance.now())
    else if (stillReads !== 'briefly') this.#countFailure(performance.now())
    if (stillReads !== null) {
      this.#owner.finish(this.status, null, 'cut')
      return
    }
    if (failed !== null) {
      this.#failed(failed, end)
      return
    }
    this.ending = 'failure'
    // The provider makes and bills all of a single body before its first byte.
    const isMade = sink?.kind === 'whole' && sink.hasBegun && !isMalformed(error)
    // The same upstream would make and bill another answer of the wrong kind.
    const scope = this.isWrongKind && end !== 'unserved' ? 'elsewhere' : scopeOfError(error)
    this.#owner.failed(failureOfError(error), isMade ? 'nowhere' : scope, end)
  }

  #failed({ failure, scope, restMs }: CallFailure, end: End): void {
    this.ending = 'failure'
    if (restMs > 0) this.upstream.pauses.begin(this.target.model, restMs, performance.now())
    this.#owner.failed(failure, scope, end)
  }

  /** Counts one failure per request, so that a request that no upstream can serve does not open the breaker. */
  #countFailure(now: number): void {
    if (!this.#isRepeat || this.#isProbe) this.upstream.breaker.failed(this.#isProbe, now)
  }
}

/** Reasons of aborts. The errors are shared, because a stack trace costs more than an abort. */
const clientGone = new Error('the client left')
const answered = new Error('the client has its answer')
