import type { ServerResponse } from 'node:http'
import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { retryFields } from '../retry-fields.ts'
import { clientClosedRequest, type Outcome, type Used } from '../settlement/outcome.ts'
import { ReceivedText } from '../tokens/received-text.ts'
import { CallError } from '../upstreams/call-error.ts'
import type { AnswerHandler, AnswerHead, CallController } from '../upstreams/upstream-pool.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'
import type { AbandonedStreams } from './abandoned-streams.ts'
import { AnswerDecoder, decodeShort, isIdentity } from './answer-decoder.ts'
import { BodyAnswer } from './body-answer.ts'
import { type Choice, chooseTarget, waitOf } from './choose-target.ts'
import type { Deadlines, Expiring } from './deadlines.ts'
import { EventStream } from './event-stream.ts'
import { asksForUsage, type ForwardedRequest, forwardedBody } from './forwarded-body.ts'
import { judgeHead } from './judge-head.ts'
import { mayClientRetry, type RetryScope } from './may-retry.ts'
import { describeRefusal, type Refusal, readRefusal } from './read-refusal.ts'
import { orderTargets } from './route.ts'
import type { SlowReaders } from './slow-readers.ts'
import { StreamAnswer, shortWrite } from './stream-answer.ts'
import {
  type Failed,
  failureOfError,
  isAboutTheRequest,
  judgeStatus,
  needsReason,
  readWaitMs,
  scopeOfError
} from './upstream-failure.ts'
import { type End, endOfBroken, isReported, usedOf } from './used-of.ts'

/** Bytes of a refusal that are read for its message. A failed answer that says to have no more is read to its end, which keeps the connection. */
const refusalLimit = 64 * 1024
/** How long the body of a refusal is waited for when the client can be told, or another upstream called, without it. */
const reasonMs = 1000
/** How long an upstream has to end a stream that was left. What it sends until then is counted. */
const leavingMs = 1000
/**
 * How long the head of a stream is held back for its first event. Until then another call can make good a stream that is
 * none; longer, a proxy in front of the gateway could give up.
 */
const headHeldMs = 10_000

export type RelayRequest = ForwardedRequest & {
  readonly upstreams: Upstreams
  readonly route: readonly Target[]
  /** Of the endpoint, without the upstream's prefix: `/chat/completions`. */
  readonly path: string
  /** The member of stream events that holds the model's words. */
  readonly wordsMember: string
  /** The member of a single body that holds what was asked for. */
  readonly listMember: 'choices' | 'data'
  /** How many answers were asked for. */
  readonly answers: number
  readonly requestId: string
  /** How often upstreams may be called for it. */
  readonly maxCalls: number
  /** Where the answer goes. Nothing has been written to it yet. */
  readonly response: ServerResponse
  /** Header names and values, alternating, that the answer carries besides its own; until it has begun. */
  fields: readonly string[]
  readonly slowReaders: SlowReaders
  readonly deadlines: Deadlines
  readonly abandonedStreams: AbandonedStreams
  /** Whether the answer does not show all that the model produces. */
  readonly hidesOutput: boolean
  /** Whether the connection to the client must end with this answer. */
  readonly isDraining: () => boolean
  /** Told of every failed call, also of those that another call makes good. */
  readonly onFailure: (failure: ServiceError, upstream: string) => void
  /** Told once, when all is over. */
  readonly onEnd: (outcome: Outcome) => void
}

/**
 * Sends a request to an upstream of its model's route, and its answer to the client, as the bytes come and no faster than
 * the client reads them. Until an answer has begun, a failed call is made good by another: of the next upstream, or of the
 * same a little later. The response is ended in any case.
 *
 * When the client goes away, an answer that is not a stream is read to its end, for its usage. So is a stream if what has
 * come of it does not tell what the provider bills; other streams are aborted.
 */
export function relay(request: RelayRequest): void {
  new Relay(request).begin()
}

/**
 * One request to a model. The upstream's pool calls the methods; a single object holds all state. What an abandoned call
 * still brings is told apart by its controller, and ignored.
 */
class Relay implements AnswerHandler, Expiring {
  readonly beganAt = performance.now()
  earlier: Expiring | null = null
  later: Expiring | null = null
  readonly #request: RelayRequest
  readonly #response: ServerResponse
  /** The targets that may still be called. */
  #order: readonly Target[]
  readonly #tried: Target[] = []
  #upstream: Upstream | null = null
  #isProbe = false
  /** Of the call under way, once it has begun. */
  #controller: CallController | null = null
  #retryTimer: NodeJS.Timeout | undefined
  #status = 0
  /** The answer, if it is a stream. */
  #stream: StreamAnswer | null = null
  #events: EventStream | null = null
  /** The answer, if it is a single body. */
  #body: BodyAnswer | null = null
  /** Decodes the answer, if it is compressed. */
  #decoder: AnswerDecoder | null = null
  /** The head of an answer that has not been written: it leaves with the first bytes of the body. */
  #head: string[] | null = null
  #headTimer: NodeJS.Timeout | undefined
  /** Whether the call under way has been found to bring an answer. */
  #isAccepted = false
  /** Whether the answer is a stream and a single body was asked for, or the other way round. Nothing of it passes. */
  #isWrongKind = false
  /** Whether an answer that is not a stream waits for the client to read. */
  #isHeldBack = false
  #refusal: Buffer[] | null = null
  #refusalBytes = 0
  #refusalEncoding = 'identity'
  /** How long the upstream that refuses asks to wait. */
  #refusalWaitMs: number | null = null
  #reasonTimer: NodeJS.Timeout | undefined
  /** The last failure that may not be one at another time. */
  #momentary: ServiceError | null = null
  #firstByteAt: number | null = null
  #clientGone = false
  /** What is still done for a request whose client gets nothing more; null while it is served. */
  #after: 'reads on' | 'leaves' | null = null
  /** What a client was told of the request, of which more is read. */
  #told: { status: number; code: string | null } | null = null
  #leavingTimer: NodeJS.Timeout | undefined
  #done = false

  constructor(request: RelayRequest) {
    this.#request = request
    this.#response = request.response
    this.#order = orderTargets(request.route)
    this.#response.once('close', this.#onClose)
    request.deadlines.began(this)
  }

  /** It has lasted as long as a request may. */
  expire(): void {
    if (this.#done) return
    clearTimeout(this.#retryTimer)
    const failure = new ServiceError('upstream_timeout')
    if (this.#after === null) {
      this.#told = this.#tell(failure)
      this.#response.off('close', this.#onClose)
    }
    if (this.#controller === null) this.#finish(failure.status, failure.code, 'unserved')
    else if (this.#after === null && !this.#clientGone && this.#canLeave()) this.#leave(this.#controller)
    else this.#abort(this.#controller)
  }

  begin(): void {
    const now = this.beganAt
    const choice = chooseTarget(this.#order, this.#tried, this.#request.upstreams, now)
    if (choice !== null) {
      this.#call(choice.target)
      return
    }
    const { upstream } = this.#order[0]!
    if (!this.#order.some((target) => this.#request.upstreams.has(target.upstream))) {
      const failure = new ServiceError('internal_error', { cause: new Error(`no upstream is named ${upstream}`) })
      this.#request.onFailure(failure, upstream)
      this.#finishWith(failure)
      return
    }
    const waitMs = waitOf(this.#order, this.#request.upstreams, now)
    this.#finishWith(new ServiceError('upstream_unreachable', { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) }))
  }

  onRequestStart(controller: CallController): void {
    // The client may have left while the request was waiting for a connection.
    if (this.#done) controller.abort(clientGone)
    else this.#controller = controller
  }

  onResponseStart(controller: CallController, status: number, head: AnswerHead): void {
    if (this.#done || controller !== this.#controller) return
    const now = performance.now()
    const upstream = this.#upstream!
    if (status < 300) {
      this.#beginAnswer(controller, status, head)
      return
    }
    // No API redirects a call of a model.
    if (status >= 500 || status < 400) this.#countFailure(now)
    else upstream.breaker.succeeded(this.#isProbe, now)
    if (needsReason(status)) {
      this.#status = status
      this.#refusal = []
      this.#refusalEncoding = head.contentEncoding ?? 'identity'
      this.#refusalWaitMs = readWaitMs(head)
      // What is about the request cannot be told without it.
      if (!isAboutTheRequest(status)) this.#reasonTimer = setTimeout(() => this.#refuse(controller), reasonMs)
    } else {
      this.#giveUp(controller, head)
      this.#failedByStatus(judgeStatus(status, undefined, readWaitMs(head))!)
    }
  }

  onResponseData(controller: CallController, chunk: Buffer): void {
    if (this.#done || controller !== this.#controller) return
    if (this.#refusal !== null) {
      this.#refusalBytes += chunk.length
      if (this.#refusalBytes <= refusalLimit) this.#refusal.push(Buffer.from(chunk))
      else this.#refuse(controller)
    } else if (this.#decoder !== null) this.#decoder.write(chunk)
    else this.#take(controller, chunk)
  }

  onResponseEnd(controller: CallController): void {
    if (this.#done || controller !== this.#controller) return
    if (this.#refusal !== null) {
      this.#refuse(null)
      return
    }
    if (this.#decoder !== null) this.#decoder.end(null)
    else this.#concludeAnswer(controller)
  }

  onResponseError(controller: CallController | null, error: Error): void {
    if (this.#done || controller !== this.#controller) return
    this.#controller = null
    if (this.#refusal !== null) {
      // Its status says enough.
      this.#refuse(null)
      return
    }
    if (this.#decoder !== null) this.#decoder.end(error)
    else this.#brokeOff(error, this.#hasBegun() || isCutByUs(error) ? 'cut' : 'unserved')
  }

  /** The call has brought its last bytes, and not all of an answer. */
  #brokeOff(error: Error, end: End): void {
    this.#controller = null
    this.#decoder?.destroy()
    this.#decoder = null
    if (!this.#isWrongKind && this.#events?.isDone && this.#events.isWhole) {
      // It said itself that nothing follows.
      this.#stream?.end()
      this.#finish(this.#status, null, 'whole')
      return
    }
    if (this.#after === 'leaves') {
      this.#finish(this.#status, null, 'cut')
      return
    }
    this.#countFailure(performance.now())
    if (this.#after === 'reads on') this.#finish(this.#status, null, 'cut')
    else {
      const isMade = this.#body?.hasBegun === true && !isMalformed(error)
      // The upstream would make the answer again in the wrong kind, and bill it again.
      const scope = this.#isWrongKind && end !== 'unserved' ? 'elsewhere' : scopeOfError(error)
      this.#failed(failureOfError(error), isMade ? 'nowhere' : scope, end)
    }
  }

  /** The provider sent something else than an answer, or ended it too early. */
  #misanswered(controller: CallController, how: string): void {
    const error = new CallError('malformed_answer', `the upstream's answer ${how}`)
    this.#brokeOff(error, endOfBroken(this.#events ?? this.#body))
    controller.abort(error)
  }

  #call(target: Target): void {
    const { upstreams, path, requestId } = this.#request
    const upstream = upstreams.get(target.upstream)!
    this.#tried.push(target)
    this.#upstream = upstream
    this.#controller = null
    this.#status = 0
    this.#dropAnswer()
    this.#refusal = null
    this.#refusalBytes = 0
    this.#isProbe = upstream.breaker.begin(performance.now())
    upstream.retries.called()
    upstream.pool.dispatch({ path, requestId, body: forwardedBody(this.#request, target.model) }, this)
  }

  /** Once for each request: one that no upstream can serve must not look like many failures. */
  #countFailure(now: number): void {
    const { name, breaker } = this.#upstream!
    let times = 0
    for (const { upstream } of this.#tried) if (upstream === name) times++
    if (times === 1 || this.#isProbe) breaker.failed(this.#isProbe, now)
  }

  /** Forgets the answer of a call that another call makes good. */
  #dropAnswer(): void {
    clearTimeout(this.#headTimer)
    this.#decoder?.destroy()
    this.#decoder = null
    this.#head = null
    this.#body = null
    this.#events = null
    this.#isAccepted = false
    this.#isWrongKind = false
  }

  /** Leaves a failed answer to itself: it is read to its end if that is near. */
  #giveUp(controller: CallController, { contentLength }: AnswerHead): void {
    this.#controller = null
    if (contentLength < 0 || contentLength > refusalLimit) controller.abort(answered)
  }

  #beginAnswer(controller: CallController, status: number, head: AnswerHead): void {
    const kind = judgeHead(status, head)
    if (typeof kind !== 'string') {
      this.#misanswered(controller, kind.fault)
      return
    }
    this.#status = status
    const { contentEncoding: encoding, contentLength } = head
    const isEncoded = encoding !== undefined && !isIdentity(encoding)
    const length = isEncoded ? -1 : contentLength
    if (isEncoded) this.#decode(controller, encoding)
    if (kind === 'stream') {
      const { wordsMember, answers } = this.#request
      this.#events = new EventStream(asksForUsage(this.#request), new ReceivedText(wordsMember), answers)
    } else this.#body = new BodyAnswer(this.#request.listMember, length)
    this.#isWrongKind = (kind === 'stream') !== this.#request.isStream
    if (!this.#isServed() || this.#isWrongKind) return
    // None of the upstream's headers reaches the client.
    const contentType = kind === 'stream' ? streamType : usualType
    const fields = ['content-type', contentType, 'x-content-type-options', 'nosniff']
    fields.push('x-request-id', this.#request.requestId, ...this.#request.fields)
    // A stream may end with an event of ours, so its length is not known.
    if (length >= 0 && kind === 'body') fields.push('content-length', String(length))
    if (this.#request.isDraining()) fields.push('connection', 'close')
    this.#head = fields
    if (kind === 'stream') this.#headTimer = setTimeout(() => this.#beginStream(controller), headHeldMs)
  }

  #decode(controller: CallController, encoding: string): void {
    const isOver = () => this.#done || this.#decoder !== decoder
    const decoder: AnswerDecoder = new AnswerDecoder(
      encoding,
      controller,
      (bytes) => {
        if (!isOver()) this.#take(controller, bytes)
      },
      (failure, isBroken) => {
        if (isOver()) return
        if (failure === null) this.#concludeAnswer(controller)
        else {
          this.#brokeOff(failure, isBroken ? endOfBroken(this.#events ?? this.#body) : 'cut')
          controller.abort(failure)
        }
      }
    )
    this.#decoder = decoder
  }

  /** The call has brought an answer, as far as its beginning tells. */
  #accept(): void {
    if (this.#isAccepted) return
    this.#isAccepted = true
    this.#upstream!.breaker.succeeded(this.#isProbe, performance.now())
  }

  /** Takes bytes of the answer. @param chunk may be overwritten afterwards */
  #take(controller: CallController, chunk: Buffer): void {
    if (this.#events !== null) this.#takeEvents(controller, this.#events, chunk)
    else this.#takeBody(controller, this.#body!, chunk)
  }

  #takeEvents(controller: CallController, events: EventStream, chunk: Buffer): void {
    const bytes = events.push(chunk)
    if (!this.#isAccepted && events.hasBegun) {
      if (this.#isWrongKind) {
        this.#misanswered(controller, wrongStream)
        return
      }
      this.#accept()
      this.#beginStream(controller)
    }
    this.#stream?.write(bytes)
    if (events.hasFailed) this.#misanswered(controller, 'tells of an error, or is no stream of events')
  }

  /** Lets a stream begin for its client. */
  #beginStream(controller: CallController): void {
    clearTimeout(this.#headTimer)
    if (this.#head === null || !this.#isServed()) return
    this.#writeHead()
    this.#stream = new StreamAnswer(this.#response, this.#decoder ?? controller, this.#request.slowReaders)
  }

  #takeBody(controller: CallController, body: BodyAnswer, chunk: Buffer): void {
    if (chunk.length <= shortWrite && this.#isServed() && !this.#isWrongKind) {
      // The only bytes, known as such, leave together with the headers and the end.
      const text = chunk.toString('latin1')
      if (isReported(body.readAll(chunk, text), this.#request.output !== null)) {
        this.#accept()
        this.#writeHead()
        this.#response.end(text, 'latin1')
        this.#finish(this.#status, null, 'whole')
        return
      }
    }
    // One copy for both: what is kept of the answer, and what waits to be written.
    const passing = body.push(Buffer.from(chunk))
    if (body.isHopeless) {
      this.#misanswered(controller, 'is not the JSON that was asked for')
      return
    }
    if (body.isAnswer && !this.#isWrongKind) this.#accept()
    if (body.isAllHere) this.#endBody(controller, body, passing)
    else if (!this.#isWrongKind) for (const bytes of passing) this.#passOn(controller, bytes)
  }

  #passOn(controller: CallController, bytes: Buffer): void {
    if (!this.#isServed()) return
    this.#writeHead()
    if (this.#response.write(bytes) || this.#isHeldBack) return
    this.#isHeldBack = true
    const source = this.#decoder ?? controller
    source.pause()
    this.#request.slowReaders.watch(this.#response)
    this.#response.once('drain', () => {
      this.#isHeldBack = false
      source.resume()
    })
  }

  /** Ends a body of which all bytes have come. */
  #endBody(controller: CallController, body: BodyAnswer, last: readonly Buffer[]): void {
    if (!body.isWhole || this.#isWrongKind) {
      this.#misanswered(controller, body.isWhole ? 'is a single body, and a stream was asked for' : 'is not whole')
      return
    }
    if (this.#isServed()) {
      this.#writeHead()
      for (const bytes of last.slice(0, -1)) this.#response.write(bytes)
      this.#response.end(last.at(-1))
    }
    this.#finish(this.#status, null, 'whole')
  }

  /** The upstream has ended the answer. */
  #concludeAnswer(controller: CallController): void {
    if (this.#events === null) {
      const body = this.#body!
      this.#endBody(controller, body, body.rest())
      return
    }
    const rest = this.#events.end()
    if (!this.#events.isWhole || this.#isWrongKind) {
      this.#misanswered(controller, this.#isWrongKind ? wrongStream : 'ended before its end')
      return
    }
    this.#accept()
    this.#beginStream(controller)
    this.#stream?.write(rest)
    this.#stream?.end()
    this.#finish(this.#status, null, 'whole')
  }

  #writeHead(): void {
    if (this.#head === null) return
    this.#firstByteAt = performance.now()
    this.#response.writeHead(this.#status, this.#head)
    this.#head = null
    // What is not needed any more is not kept for as long as a stream lasts.
    this.#request.fields = noFields
    this.#request.spans = noSpans
  }

  /**
   * The upstream has refused the request, and said why as far as that is read.
   *
   * @param controller of a call whose answer goes on: it is ended
   */
  #refuse(controller: CallController | null): void {
    clearTimeout(this.#reasonTimer)
    const bytes = Buffer.concat(this.#refusal ?? [])
    const reason = readRefusal(decodeShort(bytes, this.#refusalEncoding, refusalLimit))
    const failed = judgeStatus(this.#status, reason, this.#refusalWaitMs)
    // Before another call begins.
    this.#controller = null
    this.#refusal = null
    controller?.abort(answered)
    if (failed === null) this.#passOnRefusal(reason)
    else this.#failedByStatus(failed)
  }

  /** Tells the client why the upstream refused its request. */
  #passOnRefusal(reason: Refusal): void {
    const { code, body } = describeRefusal(reason, this.#upstream!.credential)
    this.#answerWith(this.#status, Buffer.from(body), refusedFields)
    this.#finish(this.#status, code, 'unserved')
  }

  #failedByStatus({ failure, scope, restMs }: Failed): void {
    if (restMs > 0) this.#upstream!.restingUntil.set(this.#tried.at(-1)!.model, performance.now() + restMs)
    this.#failed(failure, scope, 'unserved')
  }

  /** A call has failed: it is made good by another, or the client is told. */
  #failed(failure: ServiceError, scope: RetryScope, end: End): void {
    const { name } = this.#upstream!
    this.#request.onFailure(failure, name)
    if (scope === 'anywhere') this.#momentary = failure
    if (scope === 'elsewhere') this.#order = this.#order.filter(({ upstream }) => upstream !== name)
    const next = scope === 'nowhere' ? null : this.#nextCall(scope)
    if (next === null) {
      // Of several failures the client is told of one that may pass.
      const told = scope === 'elsewhere' ? (this.#momentary ?? failure) : failure
      const toldScope = told === failure ? scope : 'anywhere'
      const { maxCalls } = this.#request
      this.#finishWith(told, end, mayClientRetry(told, toldScope, this.#tried.length, maxCalls))
    } else if (next.waitMs === 0) this.#call(next.target)
    else {
      this.#retryTimer = setTimeout(() => {
        this.#retryTimer = undefined
        this.#call(next.target)
      }, next.waitMs)
    }
  }

  #nextCall(scope: RetryScope): Choice | null {
    if (this.#response.headersSent || !this.#isServed() || this.#tried.length >= this.#request.maxCalls) return null
    const next = chooseTarget(this.#order, this.#tried, this.#request.upstreams, performance.now())
    // A call that another upstream gets instead of this one amplifies nothing.
    return next !== null && (scope === 'elsewhere' || this.#upstream!.retries.take()) ? next : null
  }

  /** @param shouldRetry whether the client should send the request again, unless what the failure's code says */
  #finishWith(failure: ServiceError, end: End = 'unserved', shouldRetry?: boolean): void {
    const { status, code } = this.#tell(failure, shouldRetry)
    this.#finish(status, code, end)
  }

  /** Tells the client of a failure in the way that is still open: a status, an event, or a connection that breaks. */
  #tell(failure: ServiceError, shouldRetry?: boolean): { status: number; code: string } {
    const began = this.#response.headersSent
    const told = { status: began ? this.#status : failure.status, code: failure.code }
    if (!this.#isServed()) return told
    if (this.#stream !== null) {
      // What has passed of an event ends here.
      const end = this.#events?.isWithinEvent ? '\n\n' : ''
      this.#stream.write(Buffer.from(`${end}data: ${JSON.stringify(failure.toBody())}\n\n`))
      this.#stream.end()
      this.#stream = null
    } else if (began) {
      this.#response.destroy()
    } else {
      this.#answerWith(failure.status, Buffer.from(JSON.stringify(failure.toBody())), retryFields(failure, shouldRetry))
    }
    return told
  }

  #answerWith(status: number, body: Buffer, further: readonly string[]): void {
    if (!this.#isServed()) return
    const { requestId, fields: given, isDraining } = this.#request
    const fields = ['content-type', 'application/json; charset=utf-8', 'x-content-type-options', 'nosniff']
    fields.push('x-request-id', requestId, ...given, ...further)
    if (isDraining()) fields.push('connection', 'close')
    this.#response.writeHead(status, [...fields, 'content-length', String(body.length)]).end(body)
  }

  #finish(status: number, code: string | null, end: End): void {
    if (this.#done) return
    this.#done = true
    clearTimeout(this.#leavingTimer)
    clearTimeout(this.#reasonTimer)
    clearTimeout(this.#headTimer)
    this.#decoder?.destroy()
    this.#request.deadlines.ended(this)
    if (this.#after === 'reads on') this.#request.abandonedStreams.left()
    this.#response.off('close', this.#onClose)
    if (this.#response.socket?.writableLength !== 0) this.#request.slowReaders.watch(this.#response)
    const told = this.#told ?? { status, code }
    this.#request.onEnd({
      upstream: this.#upstream?.name ?? null,
      attempts: this.#tried.length,
      status: this.#clientGone && this.#firstByteAt === null ? clientClosedRequest : told.status,
      code: told.code,
      used: end === 'unserved' ? null : this.#used(end),
      firstByteAt: this.#firstByteAt,
      clientGone: this.#clientGone
    })
  }

  #used(end: Exclude<End, 'unserved'>): Used {
    return usedOf(end, this.#events ?? this.#body, {
      hasOutput: this.#request.output !== null,
      hidesOutput: this.#request.hidesOutput,
      isStreamed: this.#isStreamed(),
      isBilledOn: this.#isBilledOn()
    })
  }

  /** Whether the client can still be told something. */
  #isServed(): boolean {
    return !this.#clientGone && this.#told === null
  }

  /** Whether the provider may have made an answer, or a part of it. */
  #hasBegun(): boolean {
    return this.#events !== null || this.#body?.hasBegun === true
  }

  /** Whether the answer is a stream, or will be as far as is known. */
  #isStreamed(): boolean {
    return this.#events !== null || (this.#request.isStream && this.#body === null)
  }

  /** Whether the provider may bill more of a stream than what has come of it, although it is aborted. */
  #isBilledOn(): boolean {
    return this.#request.hidesOutput || !this.#upstream!.abortStopsBilling
  }

  /** Whether what a stream brings until its end is known tells what the provider bills. */
  #canLeave(): boolean {
    return this.#isStreamed() && !this.#isBilledOn()
  }

  readonly #onClose = (): void => {
    this.#clientGone = true
    this.#stream = null
    // It was told of its deadline before.
    if (this.#after !== null) return
    const hasCall = this.#controller !== null || (this.#tried.length > 0 && this.#retryTimer === undefined)
    if (hasCall && !this.#request.isStream && this.#events === null && this.#refusal === null) {
      this.#resume()
      return
    }
    clearTimeout(this.#retryTimer)
    const controller = this.#controller
    // What is refused is not served, although its reasons have not come.
    if (this.#refusal !== null) {
      this.#refuse(controller)
    } else if (controller === null) this.#finish(this.#status, null, 'unserved')
    else if (this.#canLeave()) this.#leave(controller)
    else if (this.#request.abandonedStreams.entered()) this.#readOn()
    else this.#abort(controller)
  }

  /** Reads the answer to its end, for its usage. */
  #readOn(): void {
    this.#after = 'reads on'
    this.#resume()
  }

  /** Ends a stream, and reads what the provider has sent before it knows that. */
  #leave(controller: CallController): void {
    this.#after = 'leaves'
    // After a suspension a timer is due before the sockets are read.
    const abort = () => setImmediate(() => this.#abort(controller))
    this.#leavingTimer = setTimeout(abort, leavingMs)
    this.#resume()
    controller.leave(clientGone)
  }

  /** Reads what was held back for the client. */
  #resume(): void {
    this.#decoder?.resume()
    this.#controller?.resume()
  }

  #abort(controller: CallController): void {
    this.#finish(this.#status, null, this.#refusal === null ? 'cut' : 'unserved')
    controller.abort(clientGone)
  }
}

/** Whether the provider was at work on a call that failed before its answer began. */
function isCutByUs(error: Error): boolean {
  return (
    error instanceof CallError &&
    (error.code === 'first_byte_timeout' || error.code === 'between_chunks_timeout' || error.code === 'pool_closed')
  )
}

/** Whether the provider ended something that is not an answer. */
const isMalformed = (error: Error): boolean => error instanceof CallError && error.code === 'malformed_answer'

const noFields: readonly string[] = []
const refusedFields: readonly string[] = ['x-should-retry', 'false']
const noSpans: RelayRequest['spans'] = new Map()

const wrongStream = 'is a stream, and a single body was asked for'

const usualType = 'application/json'
const streamType = 'text/event-stream; charset=utf-8'

/** Why a call was aborted, when it was not the upstream's fault. Shared: a stack trace for each would cost more than the abort. */
const clientGone = new Error('the client went away')
const answered = new Error('the client has its answer')
