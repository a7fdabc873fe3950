import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { version } from '../workspace.ts'

/** Joined by prom-client as a mean or a sum, which would hide a single process that is blocked or out of files. */
const greatestCounts = [
  ...['', 'mean_', 'stddev_', 'p50_', 'p90_', 'p99_'].map((kind) => `nodejs_eventloop_lag_${kind}seconds`),
  ...['process_open_fds', 'process_max_fds']
]

/**
 * Adds the metrics of the Node.js process. Where several processes are joined, the greatest lag and the most open files
 * count.
 */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const name of greatestCounts) {
    // Other systems than Linux do not have all. prom-client's types do not name `aggregator`: see
    // docs/library-internals.md.
    const gauge = registry.getSingleMetric(name) as { aggregator?: string } | undefined
    if (gauge !== undefined) gauge.aggregator = 'max'
  }
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
