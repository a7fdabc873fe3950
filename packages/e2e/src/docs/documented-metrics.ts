import { createControlMetrics } from '@tollgate/control/metrics/control-metrics.ts'
import { createMetrics } from '@tollgate/gateway/telemetry/metrics.ts'
import { addProcessGauges } from '@tollgate/gateway/telemetry/process-gauges.ts'
import { collectProcessMetrics } from '@tollgate/service/metrics/process-metrics.ts'
import { Registry } from 'prom-client'
import type { DocumentedMetrics } from './describe-metrics.ts'

/** All metrics of all services, without starting one. */
export function documentedMetrics(): DocumentedMetrics[] {
  const processes = new Registry()
  collectProcessMetrics(processes)
  return [
    {
      title: 'Gateway',
      intro: 'On `GATEWAY_ADMIN_PORT` (9090).',
      registry: gatewayRegistry()
    },
    {
      title: 'Control',
      intro:
        'On `CONTROL_ADMIN_PORT` (9091). Control asks PostgreSQL and Redis at a scrape, at most every three seconds and for at ' +
        'most two. What it cannot read in that time has no sample.',
      registry: createControlMetrics().registry
    },
    {
      title: 'Every process',
      intro: 'From prom-client, about Node.js and the process. Both services have them.',
      registry: processes
    }
  ]
}

function gatewayRegistry(): Registry {
  const { registry } = createMetrics()
  const none = () => 0
  const isTrue = () => true
  addProcessGauges(registry, {
    ...{ settlementsWaiting: none, bodyBytes: none, bodyLimitBytes: none, requestsInFlight: none, openStreams: none },
    ...{ holds: none, keyCacheKeys: none, isRedisReady: isTrue, isCatalogLoaded: isTrue },
    upstreams: () => [],
    upstreamProblems: () => []
  })
  return registry
}
