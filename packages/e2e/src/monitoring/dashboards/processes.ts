import { type Panel, quantile, type Row, rateOf } from './dashboard.ts'

/** Panels that both services have. */
export const firingAlerts: Panel = {
  title: 'Firing alerts',
  description: 'Alerts of Tollgate that fire now, of both services. Each has a page in docs/operate/runbooks.',
  unit: 'string',
  form: 'table',
  width: 12,
  queries: [
    {
      expr: 'count by (alertname, severity) (ALERTS{alertname=~"Tollgate.+", alertstate="firing"})',
      legend: '{{alertname}}'
    }
  ]
}

export const versions: Panel = {
  title: 'Releases',
  description: 'How many processes run each release. More than one line is normal during an upgrade only.',
  unit: 'string',
  form: 'table',
  width: 12,
  queries: [{ expr: 'count by (service, version, node) (tollgate_build_info)', legend: '{{version}}' }]
}

export const running = (job: string): Panel => ({
  title: 'Processes',
  description: 'How many processes Prometheus reaches, and how many it should reach.',
  unit: 'short',
  form: 'number',
  redBelow: 1,
  queries: [
    { expr: `sum(up{job=~"${job}"})`, legend: 'running' },
    { expr: `count(up{job=~"${job}"})`, legend: 'targets' }
  ]
})

/** Panels about the Node.js process. */
export const processPanels: readonly Panel[] = [
  {
    title: 'Event loop',
    description:
      'How long one turn in a hundred takes. All requests of the process wait as long. An alert fires above 100 ms.',
    unit: 's',
    queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds{$filter}', legend: '{{instance}}' }]
  },
  {
    title: 'Processor',
    description: 'Share of one core. A process cannot use more than one: start more before it reaches 80 %.',
    unit: 'percentunit',
    queries: [{ expr: rateOf('process_cpu_seconds_total', ['instance']), legend: '{{instance}}' }]
  },
  {
    title: 'Memory',
    description: 'Resident memory of each process.',
    unit: 'bytes',
    queries: [{ expr: 'process_resident_memory_bytes{$filter}', legend: '{{instance}}' }]
  },
  {
    title: 'Open files',
    description: 'Share of the files that a process may open. Each connection is one. An alert fires above 80 %.',
    unit: 'percentunit',
    queries: [{ expr: 'process_open_fds{$filter} / process_max_fds{$filter}', legend: '{{instance}}' }]
  },
  {
    title: 'Clock skew',
    description: 'How far other clocks are ahead (above 0) or behind. An alert fires at a minute.',
    unit: 's',
    queries: [{ expr: 'tollgate_clock_skew_seconds{$filter}', legend: '{{clock}} seen from {{instance}}' }]
  },
  {
    title: 'Garbage collection',
    description: 'Share of the time that each process spends on garbage collection. Above 10 %, give it more memory.',
    unit: 'percentunit',
    queries: [{ expr: rateOf('nodejs_gc_duration_seconds_sum', ['instance']), legend: '{{instance}}' }]
  }
]

/** @param more panels of the service, before those of the process */
export const saturation = (...more: readonly Panel[]): Row => ({
  question: 'What is saturated?',
  panels: [...more, ...processPanels]
})

export const percentiles = (histogram: string) =>
  [0.5, 0.9, 0.99].map((share) => ({ expr: quantile(share, histogram), legend: `p${share * 100}` }))
