import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { decodeShort, isKnownEncoding } from '../relay/answer-decoder.ts'
import type { AnswerFormat } from '../relay/answer-format.ts'
import type { RenamedModel } from '../relay/conceal.ts'
import { type OperatorFault, reportedFault } from '../relay/operator-faults.ts'
import { readRefusal } from '../relay/read-refusal.ts'
import { callableTarget } from '../relay/targets.ts'
import { classifyStatus, failureOfError, readWaitMs } from '../relay/upstream-failure.ts'
import type { UpstreamHealth } from '../upstream-health/upstream-health.ts'
import type { LiveUpstreams } from '../upstreams/live-upstreams.ts'
import {
  type AnswerHandler,
  type AnswerHead,
  type CallController,
  CallError,
  type UpstreamCall
} from '../upstreams/upstream-pool.ts'
import type { Upstream, Upstreams } from '../upstreams/upstreams.ts'
import { AnswerBody } from './answer-body.ts'

/** Maximum bytes of an answer that is collected: a number of tokens, or a refusal. */
const maxCollectedBytes = 256 * 1024

/** What a provider answered, for the client. */
export interface FreeAnswer {
  readonly status: number
  /** JSON */
  readonly body: Buffer | string
}

/** How a call ends that costs nothing. */
export interface FreeCall extends UpstreamCall {
  /** Explains to the client why the provider refused the request. */
  readonly refusal: AnswerFormat['refusal']
  readonly docsUrl: string | null
  /** null if the call names no model. */
  readonly renamed: RenamedModel | null
  readonly report: AnswerReport
}

/**
 * Makes one call that costs nothing, without retries, and collects its short answer.
 *
 * @returns the provider's answer, or its refusal of the client's request
 * @throws ServiceError if the call failed
 */
export async function callOnce(upstream: Upstream, call: FreeCall): Promise<FreeAnswer> {
  const answer = await collect(upstream, call, null)
  // Without a function for the body, all answers are collected.
  return toAnswer(upstream, call, answer as Collected)
}

/**
 * Makes one call that costs nothing, without retries. The answer may be long, so it is not collected.
 *
 * @param onFull called when the client is behind
 * @returns the body of the provider's answer, or its refusal of the client's request
 * @throws ServiceError if the call failed
 */
export async function streamOnce(
  upstream: Upstream,
  call: FreeCall,
  onFull: () => void
): Promise<FreeAnswer | { readonly status: 200; readonly body: AnswerBody }> {
  const answer = await collect(upstream, call, onFull)
  if (!(answer instanceof AnswerBody)) return toAnswer(upstream, call, answer)
  reportAnswer(call.report, upstream, null)
  return { status: 200, body: answer }
}

interface Collected {
  readonly status: number
  readonly head: AnswerHead
  readonly bytes: Buffer
}

async function collect(
  upstream: Upstream,
  call: FreeCall,
  onFull: (() => void) | null
): Promise<Collected | AnswerBody> {
  try {
    return await new Promise<Collected | AnswerBody>((resolve, reject) =>
      upstream.pool.dispatch(call, new Collector(resolve, reject, onFull))
    )
  } catch (error) {
    throw failureOfError(error as Error)
  }
}

function toAnswer(upstream: Upstream, call: FreeCall, { status, head, bytes }: Collected): FreeAnswer {
  const body = decodeShort(bytes, encodingOf(head), maxCollectedBytes)
  if (isSuccess(status)) {
    reportAnswer(call.report, upstream, null)
    return { status: 200, body }
  }
  const reason = readRefusal(body)
  const failed = classifyStatus(status, reason, readWaitMs(head))
  if (failed !== null) {
    const fault = reportedFault(failed.failure.code)
    if (fault !== null) reportAnswer(call.report, upstream, fault)
    throw failed.failure
  }
  const { docsUrl, requestId, renamed } = call
  const hidden = { secret: upstream.credential, renamed, host: upstream.baseUrl.host }
  return { status, body: call.refusal(reason, { status, docsUrl, requestId, ...hidden }).body }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300
const encodingOf = ({ contentEncoding = 'identity' }: AnswerHead): string => contentEncoding

/** Collects an answer, or passes on the body of a long one. */
class Collector implements AnswerHandler {
  readonly #resolve: (answer: Collected | AnswerBody) => void
  readonly #reject: (error: Error) => void
  readonly #onFull: (() => void) | null
  #status = 0
  #head: AnswerHead | null = null
  #body: AnswerBody | null = null
  readonly #chunks: Buffer[] = []
  #bytes = 0

  /** @param onFull null to collect the answer, whatever its status */
  constructor(
    resolve: (answer: Collected | AnswerBody) => void,
    reject: (error: Error) => void,
    onFull: (() => void) | null
  ) {
    this.#resolve = resolve
    this.#reject = reject
    this.#onFull = onFull
  }

  onRequestStart(): void {}

  onResponseStart(controller: CallController, status: number, head: AnswerHead): void {
    this.#status = status
    this.#head = head
    if (this.#onFull === null || !isSuccess(status)) return
    const encoding = encodingOf(head)
    if (!isKnownEncoding(encoding)) {
      controller.abort(new CallError('malformed_answer', "the upstream's answer has an unknown encoding"))
      return
    }
    this.#body = new AnswerBody(controller, encoding, this.#onFull)
    this.#resolve(this.#body)
  }

  onResponseData(controller: CallController, bytes: Buffer): void {
    if (this.#body !== null) {
      this.#body.arrived(bytes)
      return
    }
    this.#bytes += bytes.length
    if (this.#bytes <= maxCollectedBytes) this.#chunks.push(Buffer.from(bytes))
    else controller.abort(new CallError('malformed_answer', "the upstream's answer is too long"))
  }

  onResponseEnd(): void {
    if (this.#body !== null) this.#body.finish(null)
    else this.#resolve({ status: this.#status, head: this.#head!, bytes: Buffer.concat(this.#chunks) })
  }

  onResponseError(_controller: CallController | null, error: Error): void {
    if (this.#body !== null) this.#body.finish(error)
    else this.#reject(error)
  }
}

/** Where the answers of calls that cost nothing are reported. */
interface AnswerReport {
  readonly upstreams: Pick<LiveUpstreams, 'current'>
  readonly upstreamHealth: Pick<UpstreamHealth, 'failed' | 'accepted'>
}

/**
 * Reports what the answer of a call that costs nothing says of the upstream's credential and credit. It says nothing of
 * the model: an upstream may have it, and lack the endpoint.
 *
 * @param fault null if the call succeeded
 */
function reportAnswer(
  { upstreams, upstreamHealth }: AnswerReport,
  upstream: Upstream,
  fault: OperatorFault | null
): void {
  const { name, models } = upstream
  // Calls with replaced settings say nothing of the present ones.
  if (upstreams.current.byName.get(name) !== upstream) return
  if (fault === null) upstreamHealth.accepted(name)
  else if (fault !== 'model')
    upstreamHealth.failed(fault, { upstream: name, model: null, credentialName: models.credentialName })
}

/**
 * Calls each target of a route at most once, until one answers. After a timeout no other is called, because it would
 * take as long again.
 *
 * @param route in order, of upstreams that the gateway has
 * @throws ServiceError the last failure
 */
export async function callAny(
  route: readonly Target[],
  upstreams: Upstreams,
  call: (target: Target, upstream: Upstream) => Promise<FreeAnswer>
): Promise<FreeAnswer> {
  const tried: Target[] = []
  for (;;) {
    const { target } = callableTarget(route, tried, upstreams, performance.now())!
    tried.push(target)
    try {
      return await call(target, upstreams.get(target.upstream)!)
    } catch (error) {
      const next = callableTarget(route, tried, upstreams, performance.now())
      const isLast = next === null || tried.includes(next.target)
      if (isLast || (error as ServiceError).code === 'upstream_timeout') throw error
    }
  }
}
