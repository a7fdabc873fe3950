import { attributes as names } from '@tollgate/service/tracing/attribute-names.ts'
import type { Span, SpanAttributes } from '@tollgate/service/tracing/tracing.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { Usage } from '../usage/usage.ts'
import { AttemptTrace, type TracedUpstream } from './attempt-trace.ts'

/** How a traced request ended. */
export interface TracedOutcome {
  readonly upstream: string | null
  readonly attempts: number
  readonly status: number
  readonly code: string | null
  readonly firstByteAt: number | null
  readonly clientGone: boolean
}

/**
 * The spans of one request to a model: the request, its admission, its attempts and its settlement. They contain the
 * ids of key and account, and the catalog's name of the model: never content, secrets or names that a client invented.
 */
export class RequestTrace {
  readonly #span: Span
  readonly #operation: string
  #isStream = false
  /** The span of the admission or the settlement, while it is open. */
  #step: Span | null = null
  #attempt: AttemptTrace | null = null
  /** Whether the collector gets the trace. If not, it is only passed on to upstreams. */
  readonly isSampled: boolean
  #endedAt = 0

  constructor(span: Span, operation: string) {
    this.#span = span
    this.#operation = operation
    this.isSampled = span.isSampled
  }

  /** @param model null if the catalog does not have it */
  admitting(model: string | null, isStream: boolean): void {
    if (!this.isSampled) return
    this.#isStream = isStream
    this.#span.set({ [names.isStream]: isStream })
    if (model !== null) {
      this.#span.rename(`${this.#operation} ${model}`)
      this.#span.set({ [names.requestModel]: model })
    }
    this.#step = this.#span.child('admission', 'internal')
  }

  admitted(): void {
    this.#endStep(null)
  }

  /** Ends the trace of a request that was not admitted. */
  refused(status: number, code: string, key: KnownKey | null): void {
    if (!this.isSampled) return
    this.#endStep(code)
    this.#span.set({ [names.httpStatus]: status, ...idsOf(key) })
    this.#end(status, code)
  }

  /** @param model the upstream's name of the model */
  attempt(upstream: TracedUpstream, model: string): AttemptTrace {
    this.#attempt = new AttemptTrace(this.#span, this.#operation, upstream, model, this.#isStream)
    return this.#attempt
  }

  /** Called when the answer has ended. */
  settling(): void {
    if (!this.isSampled) return
    this.#endedAt = performance.now()
    this.#step = this.#span.child('settlement', 'internal')
  }

  /** Called when the cost is known. Redis does not have it yet. @param cost nanodollars */
  settled(outcome: TracedOutcome, usage: Usage | null, cost: number, key: KnownKey): void {
    if (!this.isSampled) return
    const used = usage === null ? {} : usageOf(usage)
    const { upstream, attempts, status, code, firstByteAt, clientGone } = outcome
    this.#attempt?.settled(used)
    this.#step?.set({ [names.costNanos]: cost })
    this.#span.set({
      [names.httpStatus]: status,
      [names.attempts]: attempts,
      [names.costNanos]: cost,
      [names.clientGone]: clientGone,
      ...(upstream !== null && { [names.provider]: upstream }),
      ...(firstByteAt !== null && this.#attempt?.answer),
      ...used,
      ...idsOf(key)
    })
    this.#end(status, code)
  }

  /** Called when the client left before an upstream was called. */
  cancelled(key: KnownKey): void {
    if (!this.isSampled) return
    this.#span.set({ [names.attempts]: 0, [names.clientGone]: true, ...idsOf(key) })
    this.#span.end()
  }

  /** Ends the trace of a request that got the answer of an earlier one. */
  replayed(key: KnownKey): void {
    if (!this.isSampled) return
    this.#span.set({ [names.httpStatus]: 200, [names.attempts]: 0, [names.costNanos]: 0, ...idsOf(key) })
    this.#end(200, null)
  }

  acknowledged(failure: 'lost' | null): void {
    this.#endStep(failure)
  }

  #endStep(errorType: string | null): void {
    this.#step?.end(errorType)
    this.#step = null
  }

  /** A server's span fails only if the server did (conventions for HTTP). */
  #end(status: number, code: string | null): void {
    const endedAt = this.#endedAt === 0 ? undefined : this.#endedAt
    const isFailure = status >= 500 || (status < 400 && code !== null)
    if (!isFailure && code !== null) this.#span.set({ [names.errorType]: code })
    this.#span.end(isFailure ? code : null, endedAt)
  }
}

function idsOf(key: KnownKey | null): SpanAttributes {
  return key === null ? {} : { [names.keyId]: key.pointer.key, [names.accountId]: key.pointer.account }
}

function usageOf({ promptTokens, cachedTokens, completionTokens, reasoningTokens, estimated }: Usage): SpanAttributes {
  return {
    [names.inputTokens]: promptTokens,
    [names.cachedInputTokens]: cachedTokens,
    [names.outputTokens]: completionTokens,
    [names.reasoningTokens]: reasoningTokens,
    [names.isEstimated]: estimated
  }
}
