import { createControlMetrics } from '@tollgate/control/metrics/control-metrics.ts'
import { createMetrics } from '@tollgate/gateway/telemetry/metrics.ts'
import { addProcessGauges } from '@tollgate/gateway/telemetry/process-gauges.ts'
import { collectProcessMetrics } from '@tollgate/service/metrics/process-metrics.ts'
import { Registry } from 'prom-client'

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
    settlementsWaiting: none,
    bodyBytes: none,
    bodyLimitBytes: none,
    requestsInFlight: none,
    openStreams: none,
    holds: none,
    keyCacheKeys: none,
    isRedisReady: isTrue,
    isCatalogLoaded: isTrue,
    upstreams: () => [],
    upstreamProblems: () => []
  })
  return registry
}

/** The metrics of one service, with the title of their section. */
interface DocumentedMetrics {
  readonly title: string
  /** Stands before the table. */
  readonly intro: string
  readonly registry: Registry
}

/** The part of docs/operate/metrics.md that comes from the services' registries. */
export function describeMetrics(services: readonly DocumentedMetrics[]): string {
  return services
    .map(({ title, intro, registry }) => `## ${title}\n\n${intro}\n\n${tableOf(registry).join('\n')}\n`)
    .join('\n')
}

function tableOf(registry: Registry): string[] {
  const rows = registry
    .getMetricsAsArray()
    .toSorted(({ name: one }, { name: other }) => (one < other ? -1 : 1))
    .map((metric) => {
      const labels = labelsOf(metric).map(code).join(', ')
      return [code(metric.name), String(metric.type), labels, cell(metric.help)]
    })
  const titles = ['metric', 'type', 'labels', 'meaning']
  const widths = titles.map((_, column) => Math.max(...[titles, ...rows].map((row) => row[column]!.length)))
  const line = (row: readonly string[]) => `| ${row.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |`
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)]
}

/** The labels of a metric. prom-client's types do not name this member: see docs/library-internals.md. */
export function labelsOf(metric: object): readonly string[] {
  return (metric as { labelNames: readonly string[] }).labelNames
}

const code = (text: string): string => `\`${text}\``

/** As a cell of a table in Markdown. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
