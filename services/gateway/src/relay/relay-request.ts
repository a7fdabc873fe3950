import type { ServerResponse } from 'node:http'
import type { Target } from '@tollgate/contracts/catalog/catalog.ts'
import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { Outcome, Used } from '../settlement/outcome.ts'
import type { RequestTrace } from '../telemetry/request-trace.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { ReportedUsage } from '../usage/usage.ts'
import type { AbandonedStreams } from './abandoned-streams.ts'
import type { AnswerCopy } from './answer-copy.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { Deadlines } from './deadlines.ts'
import type { ForwardedRequest } from './forwarded-body.ts'
import type { IssuedIds } from './issued-ids.ts'
import type { SlowReaders } from './slow-readers.ts'

/** An admitted request, with everything that the relay needs. */
export interface RelayRequest extends ForwardedRequest {
  /** Those of the route that the gateway has; at least one. */
  readonly upstreams: Upstreams
  /** The documentation that errors link to; null for none. */
  readonly docsUrl: string | null
  readonly route: readonly Target[]
  /** The endpoint's path, without the upstream's prefix: `/chat/completions`. */
  readonly path: string
  /** How the endpoint answers. */
  readonly format: AnswerFormat
  /** Headers of this request for the upstream: names and values, alternating. Must not contain line breaks. */
  readonly upstreamFields: readonly string[]
  /** How many answers the request asks for. */
  readonly answers: number
  readonly requestId: string
  /** The key whose revocation or suspension may end the request; null if nothing does. */
  readonly key: KnownKey | null
  /** null if the request is not traced. */
  readonly trace: RequestTrace | null
  /** Maximum calls of upstreams. */
  readonly maxCalls: number
  /** Receives the answer. Nothing has been written to it yet. */
  readonly response: ServerResponse
  /** Further headers of the answer: names and values, alternating. Emptied once the head is written. */
  fields: readonly string[]
  readonly slowReaders: SlowReaders
  readonly deadlines: Deadlines
  readonly abandonedStreams: AbandonedStreams
  /** Gets the answer, too; null if nobody needs a copy. */
  readonly copy: AnswerCopy | null
  /**
   * The cost of the request if it ends now, nanodollars; null if its usage must be estimated. Call it directly before
   * the end of the request. null if clients are not told the cost.
   */
  readonly costOf: ((used: Used) => number | null) | null
  /** Whether the client asked for the cost at the end of a stream. */
  readonly showsCost: boolean
  /** Whether the client asked for the cost in the usage of the answer. */
  readonly showsUsageCost: boolean
  /** Whether the model produces output that the answer does not show. */
  readonly hidesOutput: boolean
  /** Whether the client's connection must close after this answer. */
  readonly isDraining: () => boolean
  /** Called for every failed call, even if another call succeeds. @param isRetried whether another call will follow */
  readonly onFailure: (failure: ServiceError, target: Target, isRetried: boolean) => void
  /** Called before the client gets the ids of an answer, if there are any. */
  readonly onIssued: (issued: IssuedIds, usage: ReportedUsage | null, upstream: string) => void
  /** Called once, at the end. */
  readonly onEnd: (outcome: Outcome) => void
}
