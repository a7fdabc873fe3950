import type { IncomingHttpHeaders } from 'node:http'
import type { Api } from '@tollgate/contracts/catalog/apis.ts'
import type { Model, ModelKind } from '@tollgate/contracts/catalog/catalog.ts'
import type { LogsRequest } from '@tollgate/service/log/sample-requests.ts'
import type { TObject } from 'typebox'
import type { Admission } from '../admission/admit-request.ts'
import type { UseLog } from '../admission/use-log.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import type { TimeSlices } from '../event-loop/time-slices.ts'
import type { AnswerRoom } from '../free-calls/answer-room.ts'
import type { ProviderCounts } from '../free-calls/provider-counts.ts'
import type { CallsInFlight } from '../http/calls-in-flight.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { AnswerFormat } from '../relay/answer-format.ts'
import type { OutputMember } from '../relay/forwarded-body.ts'
import type { RelayRequest } from '../relay/relay-request.ts'
import type { Settlement } from '../settlement/settlement.ts'
import type { NamedInput } from '../stored/find-input.ts'
import type { StoredResponses } from '../stored/stored-responses.ts'
import type { UpstreamMetrics } from '../telemetry/upstream-metrics.ts'
import type { BoundedBody } from '../tokens/prompt-bound.ts'
import type { PromptSizes } from '../tokens/prompt-sizes.ts'
import type { TokenBound } from '../tokens/token-bound.ts'
import type { UsageEstimator } from '../tokens/usage-estimator.ts'
import type { UpstreamHealth } from '../upstream-health/upstream-health.ts'
import type { LiveUpstreams } from '../upstreams/live-upstreams.ts'
import type { Offer } from '../upstreams/offers.ts'
import type { OpenCalls } from './open-calls.ts'
import type { BodyReader } from './read-body.ts'

/** How one inference endpoint differs from the others. */
export interface InferenceEndpoint {
  /** Its path at the gateway. */
  readonly route: string
  /** Its path at the upstream, below the base URL. */
  readonly path: string
  readonly api: Api
  readonly kind: ModelKind
  /** The members that the gateway reads: `model` and, where the endpoint streams, `stream` and `stream_options`. */
  readonly body: TObject
  readonly streams: boolean
  /** The member that holds the prompt; null if the prompt is only bounded, and never counted. */
  readonly promptMember: string | null
  readonly format: AnswerFormat
  /** Whether the usage of a stream must be asked for, by `stream_options`. */
  readonly asksForUsage: boolean
  /** The member that limits the output; null if only the model does. Absent: the catalog names it for each model. */
  readonly outputMember?: OutputMember | null
  /** The members that a request may have. Absent: those that the model's upstreams accept. */
  readonly members?: ReadonlySet<string>
  /**
   * The headers of a request that its upstream gets: names and values, alternating, without line breaks. Absent: none.
   *
   * @throws ServiceError invalid_request or unpriced_parameter
   */
  readonly upstreamFields?: (headers: IncomingHttpHeaders) => readonly string[]
  /** Finds the ids in a request that refer to earlier answers; null if it has none. Absent: the endpoint stores nothing. */
  readonly namedInput?: (body: BoundedBody) => NamedInput | null
  /** Whether the provider stores the answer to a request. Absent: never. */
  readonly isStored?: (members: unknown) => boolean
  /**
   * Refuses headers that the model's upstreams do not accept.
   *
   * @throws ServiceError invalid_request
   */
  readonly refuseFields?: (headers: IncomingHttpHeaders, offer: Offer) => void
  /**
   * The maximum tokens of a request, with its prompt measured in bytes. The gateway reserves their cost.
   *
   * @throws ServiceError unpriced_parameter
   */
  readonly tokenBound: (body: BoundedBody, model: Model) => TokenBound
}

/** What all inference endpoints need. */
export interface InferenceDependencies
  extends Pick<RelayRequest, 'docsUrl' | 'isDraining' | 'slowReaders' | 'deadlines' | 'abandonedStreams'> {
  readonly upstreams: Pick<LiveUpstreams, 'current'>
  /** Called if a model is routed only to upstreams that this gateway does not have. */
  readonly onUnavailable: (name: string, model: Model) => void
  readonly admission: Admission
  readonly catalog: LiveCatalog
  /** Called for every admitted request. */
  readonly useLog: Pick<UseLog, 'used'>
  readonly estimator: Pick<UsageEstimator, 'countPrompt'>
  readonly promptSizes: PromptSizes
  readonly providerCounts: Pick<ProviderCounts, 'count' | 'billed'>
  readonly settlement: Pick<Settlement, 'settle' | 'cancel'>
  readonly storedResponses: Pick<StoredResponses, 'remember' | 'find' | 'forget'>
  /** null if requests with an `Idempotency-Key` are like others. */
  readonly idempotency: Idempotency | null
  /** How long a request may wait for an equal one, ms. */
  readonly maxWaitMs: number
  readonly logsRequest: LogsRequest
  readonly upstreamMetrics: Pick<UpstreamMetrics, 'failed' | 'ended'>
  readonly openCalls: OpenCalls
  readonly upstreamHealth: Pick<UpstreamHealth, 'failed' | 'answered' | 'accepted'>
  readonly calls: CallsInFlight
  readonly bodies: BodyReader
  /** For answers that cost nothing. */
  readonly answerRoom: AnswerRoom
  readonly slices: TimeSlices
}
