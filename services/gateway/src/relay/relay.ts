import type { ServerResponse } from 'node:http'
import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { retryFields } from '../retry-fields.ts'
import { clientClosedRequest, type Outcome, type Used } from '../settlement/outcome.ts'
import { CallError } from '../upstreams/call-error.ts'
import type { AnswerHandler, AnswerHead, CallController } from '../upstreams/upstream-pool.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'
import { AnswerUsage } from '../usage/answer-usage.ts'
import { ReceivedText } from '../usage/received-text.ts'
import { isComplete, type ReportedUsage, type Usage } from '../usage/usage.ts'
import { usageInText } from '../usage/usage-name.ts'
import type { AbandonedStreams } from './abandoned-streams.ts'
import { type Choice, chooseTarget, waitOf } from './choose-target.ts'
import type { Deadlines, Expiring } from './deadlines.ts'
import { EventStream } from './event-stream.ts'
import { asksForUsage, type ForwardedRequest, forwardedBody } from './forwarded-body.ts'
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

/** Bytes of a refusal that are read for its message. A failed answer that says to have no more is read to its end, which keeps the connection. */
const refusalLimit = 64 * 1024
/** How long the body of a refusal is waited for when the client can be told, or another upstream called, without it. */
const reasonMs = 1000
/** How long an upstream has to end a stream that was left. What it sends until then is counted. */
const leavingMs = 1000

export type RelayRequest = ForwardedRequest & {
  readonly upstreams: Upstreams
  readonly route: readonly Target[]
  /** Of the endpoint, without the upstream's prefix: `/chat/completions`. */
  readonly path: string
  /** The member of stream events that holds the model's words. */
  readonly wordsMember: string
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
  #received: ReceivedText | null = null
  /** The head of an answer that has not been written: it leaves with the first bytes of the body. */
  #head: string[] | null = null
  /** Whether the answer is a single body, not a stream. */
  #isWhole = false
  /** Whether the answer is compressed, so that nothing of it is understood. */
  #isEncoded = false
  /** What a single body reports of its usage. */
  #usage: ReportedUsage | null = null
  /** Looks for that, in an answer that comes in pieces or in an unusual form. */
  #answer: AnswerUsage | null = null
  /** Bytes that the upstream said it will send and has not sent yet; -1 if it did not say. */
  #remaining = -1
  /** Whether an answer that is not a stream waits for the client to read. */
  #isHeldBack = false
  #refusal: Buffer[] | null = null
  #refusalBytes = 0
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
    if (status >= 500) this.#countFailure(now)
    else upstream.breaker.succeeded(this.#isProbe, now)
    if (status < 300) {
      this.#beginAnswer(controller, status, head)
    } else if (needsReason(status)) {
      this.#status = status
      this.#refusal = []
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
    } else if (this.#received !== null) {
      const bytes = this.#events === null ? chunk : this.#events.push(chunk)
      this.#stream?.write(bytes)
    } else {
      this.#passOn(controller, chunk)
    }
  }

  onResponseEnd(controller: CallController): void {
    if (this.#done || controller !== this.#controller) return
    if (this.#refusal !== null) {
      this.#refuse(null)
      return
    }
    if (this.#upstream!.http2 && this.#isCutShort()) {
      this.onResponseError(controller, new Error('the upstream ended its answer within it'))
      return
    }
    if (this.#received !== null) {
      const rest = this.#events?.end()
      if (rest !== undefined) this.#stream?.write(rest)
      this.#stream?.end()
    } else if (this.#isServed()) {
      this.#writeHead()
      this.#response.end()
    }
    // A stream that neither says that it is done nor reports its usage broke off somewhere.
    const isBroken = this.#events !== null && !this.#events.isDone && this.#events.usage === null
    this.#finish(this.#status, null, isBroken ? 'cut' : 'whole')
  }

  onResponseError(controller: CallController | null, error: Error): void {
    if (this.#done || controller !== this.#controller) return
    this.#controller = null
    if (this.#refusal !== null) {
      // Its status says enough.
      this.#refuse(null)
      return
    }
    if (this.#events?.isDone) {
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
    else
      this.#failed(
        failureOfError(error),
        scopeOfError(error),
        this.#hasAnswer() || isCutByUs(error) ? 'cut' : 'unserved'
      )
  }

  #call(target: Target): void {
    const { upstreams, path, requestId } = this.#request
    const upstream = upstreams.get(target.upstream)!
    this.#tried.push(target)
    this.#upstream = upstream
    this.#controller = null
    this.#status = 0
    this.#head = null
    this.#isWhole = false
    this.#isEncoded = false
    this.#usage = null
    this.#answer = null
    this.#refusal = null
    this.#refusalBytes = 0
    this.#remaining = -1
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

  /**
   * Whether an answer of HTTP/2 ended before it was whole. undici takes a stream that was reset for one that has ended.
   */
  #isCutShort(): boolean {
    if (this.#events !== null) return !this.#events.isDone
    return this.#isWhole && this.#remaining < 0 && !(this.#answer?.isWholeJson() ?? false)
  }

  /** Leaves a failed answer to itself: it is read to its end if that is near. */
  #giveUp(controller: CallController, { contentLength }: AnswerHead): void {
    this.#controller = null
    if (contentLength < 0 || contentLength > refusalLimit) controller.abort(answered)
  }

  #beginAnswer(controller: CallController, status: number, head: AnswerHead): void {
    this.#status = status
    // Of the upstream's headers only these reach the client.
    const contentType = mediaType(head.contentType)
    const encoding = head.contentEncoding
    const isStream = contentType !== usualType && contentType.toLowerCase().startsWith('text/event-stream')
    this.#isWhole = !isStream
    this.#isEncoded = encoding !== undefined && encoding.toLowerCase() !== 'identity'
    if (isStream) {
      this.#received = new ReceivedText(this.#request.wordsMember)
      // No upstream is asked for an encoding. One that uses it all the same is not understood.
      if (!this.#isEncoded) this.#events = new EventStream(asksForUsage(this.#request), this.#received)
    } else this.#remaining = head.contentLength
    if (!this.#isServed()) return
    const fields = ['content-type', contentType, 'x-request-id', this.#request.requestId, ...this.#request.fields]
    if (encoding !== undefined && /^[\w-]+( *, *[\w-]+)*$/.test(encoding)) fields.push('content-encoding', encoding)
    // A stream may end with an event of ours, so its length is not known.
    if (head.contentLength >= 0 && !isStream) fields.push('content-length', String(head.contentLength))
    if (this.#request.isDraining()) fields.push('connection', 'close')
    this.#head = fields
    if (!isStream) return
    this.#writeHead()
    this.#stream = new StreamAnswer(this.#response, controller, this.#request.slowReaders)
  }

  #passOn(controller: CallController, chunk: Buffer): void {
    const isLast = this.#remaining === chunk.length && this.#isServed()
    if (isLast && chunk.length <= shortWrite) {
      // The last bytes, known as such, leave together with the end (and, in a short answer, with the headers).
      const text = chunk.toString('latin1')
      if (this.#answer === null) this.#usage = usageInText(text)
      if (!this.#isReported(this.#usage)) this.#lookInto(Buffer.from(chunk))
      this.#writeHead()
      this.#response.end(text, 'latin1')
      this.#finish(this.#status, null, 'whole')
      return
    }
    // One copy for both: what is kept of the answer, and what waits to be written.
    const bytes = Buffer.from(chunk)
    this.#lookInto(bytes)
    if (this.#remaining > 0 && !isLast) this.#remaining -= chunk.length
    if (!this.#isServed()) return
    this.#writeHead()
    if (isLast) {
      this.#response.end(bytes)
      this.#finish(this.#status, null, 'whole')
      return
    }
    if (this.#response.write(bytes) || this.#isHeldBack) return
    this.#isHeldBack = true
    controller.pause()
    this.#request.slowReaders.watch(this.#response)
    this.#response.once('drain', () => {
      this.#isHeldBack = false
      controller.resume()
    })
  }

  /** @param bytes are kept */
  #lookInto(bytes: Buffer): void {
    this.#answer ??= new AnswerUsage(this.#upstream!.http2)
    this.#answer.push(bytes)
    this.#usage = this.#answer.usage
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
    const reason = readRefusal(Buffer.concat(this.#refusal ?? []))
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
    const fields = ['content-type', 'application/json; charset=utf-8', 'x-request-id', requestId, ...given, ...further]
    if (isDraining()) fields.push('connection', 'close')
    this.#response.writeHead(status, [...fields, 'content-length', String(body.length)]).end(body)
  }

  #finish(status: number, code: string | null, end: End): void {
    if (this.#done) return
    this.#done = true
    clearTimeout(this.#leavingTimer)
    clearTimeout(this.#reasonTimer)
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
      used: this.#used(end),
      firstByteAt: this.#firstByteAt,
      clientGone: this.#clientGone
    })
  }

  #used(end: End): Used {
    if (end === 'unserved') return null
    const { hidesOutput, output } = this.#request
    const isCut = end === 'cut'
    // The event that was not complete has words, too.
    if (isCut) this.#events?.end()
    const usage = this.#isWhole ? this.#usage : (this.#events?.usage ?? null)
    const isFinal = !isCut || this.#isWhole || (this.#events?.isUsageFinal ?? false)
    if (isFinal && this.#isReported(usage)) {
      // Embeddings have no output, and say nothing of it.
      return output === null ? { ...usage, completionTokens: 0 } : usage
    }
    if (this.#isEncoded) return 'hold'
    if (this.#isWhole) {
      const { bytes, unseenBytes } = this.#answer?.passed() ?? nothingPassed
      if (!isCut && (!hidesOutput || usage !== null)) {
        const answer = output === null ? none : bytes
        return { received: { answer, isStream: false, unseenBytes, isCut }, reported: usage }
      }
      // All of a body exists before its first byte comes.
      const length = bytes.length + unseenBytes + this.#remaining
      if (this.#remaining < 0 || hidesOutput) return 'hold'
      return { received: { answer: none, isStream: false, unseenBytes: length, isCut }, reported: usage }
    }
    if (isCut && (!this.#isStreamed() || this.#isBilledOn())) return 'hold'
    if (hidesOutput && usage === null) return 'hold'
    const { bytes, unseenBytes } = this.#received?.received() ?? nothingPassed
    return { received: { answer: bytes, isStream: true, unseenBytes, isCut }, reported: usage }
  }

  /** Whether nothing of a usage has to be estimated. */
  #isReported(usage: ReportedUsage | null): usage is Usage {
    return this.#request.output === null ? usage !== null && usage.promptTokens !== null : isComplete(usage)
  }

  /** Whether the client can still be told something. */
  #isServed(): boolean {
    return !this.#clientGone && this.#told === null
  }

  /** Whether an answer has begun. */
  #hasAnswer(): boolean {
    return this.#isWhole || this.#received !== null
  }

  /** Whether the answer is a stream, or will be as far as is known. */
  #isStreamed(): boolean {
    return this.#received !== null || (this.#request.isStream && !this.#isWhole)
  }

  /** Whether the provider may bill more of a stream than what has come of it, although it is aborted. */
  #isBilledOn(): boolean {
    return this.#request.hidesOutput || !this.#upstream!.abortStopsBilling
  }

  /** Whether what a stream brings until its end is known tells what the provider bills. */
  #canLeave(): boolean {
    return this.#isStreamed() && !this.#isEncoded && !this.#isBilledOn()
  }

  readonly #onClose = (): void => {
    this.#clientGone = true
    this.#stream = null
    // It was told of its deadline before.
    if (this.#after !== null) return
    const hasCall = this.#controller !== null || (this.#tried.length > 0 && this.#retryTimer === undefined)
    if (hasCall && !this.#request.isStream && this.#received === null && this.#refusal === null) {
      this.#controller?.resume()
      return
    }
    clearTimeout(this.#retryTimer)
    const controller = this.#controller
    // What is refused is not served, although its reasons have not come.
    if (this.#refusal !== null) {
      this.#refuse(controller)
    } else if (controller === null) this.#finish(this.#status, null, 'unserved')
    else if (this.#canLeave()) this.#leave(controller)
    else if (!this.#isEncoded && this.#request.abandonedStreams.entered()) this.#readOn(controller)
    else this.#abort(controller)
  }

  /** Reads the answer to its end, for its usage. */
  #readOn(controller: CallController): void {
    this.#after = 'reads on'
    controller.resume()
  }

  /** Ends a stream, and reads what the provider has sent before it knows that. */
  #leave(controller: CallController): void {
    this.#after = 'leaves'
    // After a suspension a timer is due before the sockets are read.
    const abort = () => setImmediate(() => this.#abort(controller))
    this.#leavingTimer = setTimeout(abort, leavingMs)
    controller.leave(clientGone)
  }

  #abort(controller: CallController): void {
    this.#finish(this.#status, null, this.#refusal === null ? 'cut' : 'unserved')
    controller.abort(clientGone)
  }
}

/** How a request ended: its answer is whole; the client, gateway or provider cut it off; or the provider did not serve it. */
type End = 'whole' | 'cut' | 'unserved'

/** Whether the provider was at work on a call that failed before its answer began. */
function isCutByUs(error: Error): boolean {
  return (
    error instanceof CallError &&
    (error.code === 'first_byte_timeout' || error.code === 'between_chunks_timeout' || error.code === 'pool_closed')
  )
}

const noFields: readonly string[] = []
const refusedFields: readonly string[] = ['x-should-retry', 'false']
const noSpans: RelayRequest['spans'] = new Map()
const none = Buffer.alloc(0)
const nothingPassed = { bytes: none, unseenBytes: 0 }

/** The type of an answer; what is none does not pass (RFC 9110, 8.3.1). */
function mediaType(header: string | undefined): string {
  // Nearly all answers have this one.
  if (header === undefined || header === usualType) return usualType
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *; *[\w-]+="?[\w.-]+"?)*$/.test(header) ? header : 'application/octet-stream'
}

const usualType = 'application/json'

/** Why a call was aborted, when it was not the upstream's fault. Shared: a stack trace for each would cost more than the abort. */
const clientGone = new Error('the client went away')
const answered = new Error('the client has its answer')
