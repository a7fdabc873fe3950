import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { Admitted } from '../admission/admit-request.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { CountablePrompt } from '../tokens/count-prompt.ts'
import type { Received } from '../tokens/estimate-usage.ts'
import type { ReportedUsage, Usage } from '../usage/usage.ts'

/** An admitted call of a model. */
export interface Call {
  readonly id: string
  readonly known: KnownKey
  /** `performance.now()` when its head had arrived. */
  readonly startedAt: number
  /** As the client named it. */
  readonly model: string
  /** As they were when it was admitted. */
  readonly prices: Model['prices']
  readonly admitted: Admitted
  readonly isStream: boolean
  /** Whether its answer does not show all that the model produces. */
  readonly hidesOutput: boolean
  /** null for a model without a tokenizer. */
  readonly prompt: CountablePrompt | null
  /** How many answers it asks for. */
  readonly answers: number
}

/** What a request is charged. */
export type Used =
  /** All was reported. */
  | Usage
  /** Reported in part, or not at all: the rest is estimated. */
  | Uncounted
  /** It cannot even be estimated: all that was reserved. */
  | 'hold'
  /** Nothing was served. */
  | null

/** What came of an answer, and what was reported of its usage. */
export interface Uncounted {
  readonly received: Received
  readonly reported: ReportedUsage | null
  /** Whether the model may have gone on behind what was reported of its output. */
  readonly mayHaveWrittenMore: boolean
}

/** The status in the log for a client that left before it was told anything (nginx has the same). */
export const clientClosedRequest = 499

/** How a request to a model ended. */
export interface Outcome {
  /** The upstream that was called last; null if none was. */
  upstream: string | null
  attempts: number
  /** What the client was told. If it left before it was told anything, 499. */
  status: number
  /** Of the failure that it was told, also within a stream; null for success. */
  code: string | null
  used: Used
  /** When the answer's head left, on the clock of `performance.now`; null if none did. */
  firstByteAt: number | null
  clientGone: boolean
}
