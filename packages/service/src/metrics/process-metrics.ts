import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { version } from '../version.ts'

/** Adds the metrics of the Node.js process. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
}

/** Adds which service this is, in which version. */
export function addBuildInfo(registry: Registry, service: 'control' | 'gateway'): void {
  new Gauge({
    name: 'tollgate_build_info',
    help: 'Always 1. The labels are the service, and the versions of Tollgate and of Node.js',
    labelNames: ['service', 'version', 'node'],
    registers: [registry],
    aggregator: 'first'
  }).set({ service, version, node: process.versions.node }, 1)
}
