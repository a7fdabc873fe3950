import { addBuildInfo } from '@tollgate/service/metrics/process-metrics.ts'
import { Registry } from 'prom-client'
import { addEventMetrics, type ControlEvents } from './event-metrics.ts'
import { addStateMetrics, type ObservedParts } from './state-metrics.ts'

/** What control measures. */
export interface ControlMetrics {
  readonly registry: Registry
  readonly events: ControlEvents
  /** Shows the state of these parts from now on. */
  observe(parts: ObservedParts): void
}

/** Creates all metrics of control but those of its process. It reads nothing and starts nothing. */
export function createControlMetrics(): ControlMetrics {
  const registry = new Registry()
  const events = addEventMetrics(registry)
  const observe = addStateMetrics(registry)
  addBuildInfo(registry, 'control')
  return { registry, events, observe }
}
