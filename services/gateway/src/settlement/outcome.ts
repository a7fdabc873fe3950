import type { ModelKind } from '@tollgate/contracts/catalog/apis.ts'
import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { Admitted } from '../admission/admit-request.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { RequestSender } from '../telemetry/request-log.ts'
import type { RequestTrace } from '../telemetry/request-trace.ts'
import type { AttemptEnd } from '../telemetry/upstream-metrics.ts'
import type { CountablePrompt } from '../tokens/count-prompt.ts'
import type { Received } from '../tokens/estimate-usage.ts'
import type { ReportedUsage, Usage } from '../usage/usage.ts'
import type { PromptKinds } from './price.ts'

/** An admitted call of a model. */
export interface Call {
  readonly id: string
  readonly key: KnownKey
  /** `performance.now()` when the head of the request arrived. */
  readonly startedAt: number
  readonly sender: RequestSender
  /** The path of the route. */
  readonly endpoint: string
  readonly kind: ModelKind
  readonly model: string
  /** The client's name of the model: its id or an alias. */
  readonly askedModel: string
  /** What its providers bill; null if that is what the account pays. */
  readonly costs: Costs | null
  /** The service tiers that the request allows. */
  readonly tiers: readonly string[]
  readonly admitted: Admitted
  readonly isStream: boolean
  /** Whether the model produces output that the answer does not show. */
  readonly hidesOutput: boolean
  /** null for a model without a tokenizer. */
  readonly prompt: CountablePrompt | null
  readonly promptKinds: PromptKinds
  /** How many answers the request asks for. */
  readonly answers: number
  /** null if the request is not traced. */
  readonly trace: RequestTrace | null
}

/** What the providers of a model bill, at admission. */
export type Costs = Pick<Model, 'prices' | 'route'>

/** What a request is charged. */
export type Used =
  /** The upstream reported all of the usage. */
  | Usage
  /** The upstream reported only a part, or nothing. The rest is estimated. */
  | Uncounted
  /** The usage cannot be estimated. The hold is charged. */
  | 'hold'
  /** Nothing was served. */
  | null

/** The part of an answer that arrived, and its reported usage. */
export interface Uncounted {
  readonly received: Received
  readonly reported: ReportedUsage | null
  /** Whether the model may have written more than the reported output. */
  readonly mayHaveWrittenMore: boolean
}

/** The status in the log if the client left before the answer began, as in nginx. */
export const clientClosedRequest = 499

/** A call of an upstream that failed. */
export interface FailedCall {
  readonly upstream: string
  readonly code: ErrorCode
  /** The status of the upstream's response; null if there was none. */
  readonly status: number | null
  /** `performance.now()` when the call began. */
  readonly beganAt: number
  /** `performance.now()` when it had failed. */
  readonly endedAt: number
}

/** How a request to a model ended. */
export interface Outcome {
  /** The upstream of the last call; null if there was no call. */
  upstream: string | null
  /** Its name of the model; null if there was no call. */
  upstreamModel: string | null
  /** How many calls there were. */
  attempts: number
  /** Those that failed, in their order. */
  failedCalls: readonly FailedCall[]
  /** The status of the last upstream's response; null if there was none. */
  upstreamStatus: number | null
  /** How the last call ended; null if there was none. */
  lastCall: AttemptEnd | null
  /** `performance.now()` when the last call began; 0 if there was none. */
  calledAt: number
  /** The status that the client got; 499 if it left before the answer began. */
  status: number
  /** The code of the error that the client got, even within a stream; null for success. */
  code: string | null
  used: Used
  /** The model that the last answer names; null if it names none. */
  answeredModel: string | null
  /** `performance.now()` when the head of the answer was written; null if it was not. */
  firstByteAt: number | null
  clientGone: boolean
}
