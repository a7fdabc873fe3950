import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { LogsRequest } from '@tollgate/service/log/log-lines.ts'
import type { Admission } from '../admission/admit-request.ts'
import type { UseLog } from '../admission/use-log.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import type { TimeSlices } from '../event-loop/time-slices.ts'
import type { AnswerRoom } from '../free-calls/answer-room.ts'
import type { ProviderCounts } from '../free-calls/provider-counts.ts'
import type { CallsInFlight } from '../http/draining.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { RelayRequest } from '../relay/relay-request.ts'
import type { Settlement } from '../settlement/settlement.ts'
import type { StoredResponses } from '../stored/stored-responses.ts'
import type { UpstreamMetrics } from '../telemetry/upstream-metrics.ts'
import type { PromptSizes } from '../tokens/prompt-sizes.ts'
import type { UsageEstimator } from '../tokens/usage-estimator.ts'
import type { UpstreamHealth } from '../upstream-health/upstream-health.ts'
import type { LiveUpstreams } from '../upstreams/live-upstreams.ts'
import type { BodyReader } from './incoming-body.ts'
import type { OpenCalls } from './request-resources.ts'

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
