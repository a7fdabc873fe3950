import type { Readiness } from '@tollgate/service/http/admin-server.ts'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { NamesByLabel } from '../telemetry/metrics.ts'
import type { Learned } from '../upstreams/upstreams.ts'

/** The argument with which the parent starts its workers. */
export const workerArgument = 'worker'

/** The metrics of a process, as `Registry.getMetricsAsJSON` returns them. */
export type ProcessMetrics = Array<MetricObjectWithValues<MetricValue<string>>>

/** The state of a worker. */
export interface WorkerState {
  readonly readiness: Readiness
  /** null if the parent did not ask for them. */
  readonly metrics: ProcessMetrics | null
  /** The names that its labels may have now. */
  readonly names: NamesByLabel
}

/** What the parent sends. Workers ignore signals: systemd and terminals send them to all processes of a group. */
export type ToWorker =
  | { readonly kind: 'stop' | 'reload' }
  | { readonly kind: 'ask'; readonly id: number; readonly metrics: boolean }
  | Learned

/** What a worker sends. */
export type FromWorker =
  | { readonly kind: 'listening' }
  | { readonly kind: 'state'; readonly id: number; readonly state: WorkerState }
  | Learned
