import { version } from '@tollgate/service/version.ts'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** What control measures. */
export interface ControlMetrics {
  readonly registry: Registry
}

/** Creates all metrics of control. It reads nothing and starts nothing. */
export function createControlMetrics(): ControlMetrics {
  const registry = new Registry()
  addBuildInfo(registry)
  return { registry }
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
