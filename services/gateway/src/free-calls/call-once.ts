import { decodeShort } from '../relay/answer-decoder.ts'
import type { AnswerFormat } from '../relay/answer-format.ts'
import type { RenamedModel } from '../relay/conceal.ts'
import { readRefusal } from '../relay/read-refusal.ts'
import { classifyStatus, failureOfError, readWaitMs } from '../relay/upstream-failure.ts'
import { CallError } from '../upstreams/call-error.ts'
import type { AnswerHandler, AnswerHead, CallController, UpstreamCall } from '../upstreams/upstream-pool.ts'
import type { Upstream } from '../upstreams/upstreams.ts'

/** A stored response repeats its instructions and has all of its output. */
const maxAnswerBytes = 64 * 1024 * 1024

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
}

/**
 * Makes one call that costs nothing, without retries.
 *
 * @returns the provider's answer, or its refusal of the client's request
 * @throws ServiceError if the call failed
 */
export async function callOnce(upstream: Upstream, call: FreeCall): Promise<FreeAnswer> {
  let answer: Answer
  try {
    answer = await new Promise<Answer>((resolve, reject) =>
      upstream.pool.dispatch(call, new Collector(resolve, reject))
    )
  } catch (error) {
    throw failureOfError(error as Error)
  }
  const { status, head, bytes } = answer
  const body = decodeShort(bytes, head.contentEncoding ?? 'identity', maxAnswerBytes)
  if (status >= 200 && status < 300) return { status: 200, body }
  const reason = readRefusal(body)
  const failed = classifyStatus(status, reason, readWaitMs(head))
  if (failed !== null) throw failed.failure
  const { docsUrl, requestId, renamed } = call
  const hidden = { secret: upstream.credential, renamed }
  return { status, body: call.refusal(reason, { status, docsUrl, requestId, ...hidden }).body }
}

interface Answer {
  readonly status: number
  readonly head: AnswerHead
  readonly bytes: Buffer
}

/** Collects an answer. */
class Collector implements AnswerHandler {
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: Error) => void
  #status = 0
  #head: AnswerHead | null = null
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(resolve: (answer: Answer) => void, reject: (error: Error) => void) {
    this.#resolve = resolve
    this.#reject = reject
  }

  onRequestStart(): void {}

  onResponseStart(_controller: CallController, status: number, head: AnswerHead): void {
    this.#status = status
    this.#head = head
  }

  onResponseData(controller: CallController, bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#bytes <= maxAnswerBytes) this.#chunks.push(Buffer.from(bytes))
    else controller.abort(new CallError('malformed_answer', "the upstream's answer is too long"))
  }

  onResponseEnd(): void {
    this.#resolve({ status: this.#status, head: this.#head!, bytes: Buffer.concat(this.#chunks) })
  }

  onResponseError(_controller: CallController | null, error: Error): void {
    this.#reject(error)
  }
}
