import type { ErrorFormat, FailureContext } from '../http/error-format.ts'
import type { Upstream } from '../upstreams/upstreams.ts'
import type { Hidden } from './conceal.ts'
import type { EventFlow } from './event-flow.ts'
import type { JsonBody } from './json-body.ts'
import type { RefusalReason } from './read-refusal.ts'

/** What a request asked of its answer. */
export interface AskedAnswer {
  /** null if the client did not send it. */
  readonly streamOptions: Readonly<Record<string, unknown>> | null
  /** `usage.include`; null if the client did not send `usage`. */
  readonly includesUsage: boolean | null
  /** Whether the client asked for the cost in the usage. */
  readonly showsUsageCost: boolean
  /** How many answers the request asks for. */
  readonly answers: number
}

/** The call that an answer belongs to. */
export interface AnsweredCall {
  /** What errors of the upstream must not tell the client. */
  hidden(): Hidden
  readonly upstream: Pick<Upstream, 'reportsUsageByEvent'>
  /** The cost of the answer if it ends now, nanodollars; null if its usage must be estimated. */
  costOfWhole(): number | null
}

/** How an API writes its answers and errors: what makes an answer whole, and where its usage is. */
export interface AnswerFormat {
  /** Reads a single body on its way to the client. @param length of the body in bytes, -1 if unknown */
  readonly newBody: (asked: AskedAnswer, length: number) => JsonBody
  /** Reads a stream on its way to the client. */
  readonly newEvents: (asked: AskedAnswer, call: AnsweredCall) => EventFlow
  readonly errors: ErrorFormat
  /** Explains to the client why the provider refused the request. */
  readonly refusal: (reason: RefusalReason, refusal: RefusalContext) => { code: string; body: string }
}

export interface RefusalContext extends FailureContext, Hidden {
  /** The provider's status, which the client gets, too. */
  readonly status: number
}
