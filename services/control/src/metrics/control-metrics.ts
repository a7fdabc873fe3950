import { version } from '@tollgate/service/version.ts'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
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
  addBuildInfo(registry)
  return { registry, events, observe }
}

/** Adds the metrics of the Node.js process. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
}

function addBuildInfo(registry: Registry): void {
  const info = new Gauge({
    name: 'tollgate_build_info',
    help: 'Always 1; its labels name the service, its version and the version of Node.js',
    labelNames: ['service', 'version', 'node'],
    registers: [registry]
  })
  info.set({ service: 'control', version, node: process.versions.node }, 1)
}
