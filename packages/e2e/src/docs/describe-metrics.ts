import type { Registry } from 'prom-client'

/** The metrics of one service, with the title of their section. */
export interface DocumentedMetrics {
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
