import type { Readiness } from '@tollgate/service/http/admin-server.ts'
import { otherLabel } from '@tollgate/service/metrics/fast-series.ts'
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import type { NamesByLabel } from '../telemetry/metrics.ts'
import type { ProcessMetrics } from './messages.ts'
import type { AnsweredSlot } from './worker-pool.ts'

/**
 * The metrics of all workers together: counters and histograms are sums, and each gauge says how its values are joined.
 *
 * The counts of workers that ended or do not answer are kept. Otherwise the sums would fall, and Prometheus would take
 * that for a restart and count the rest again. Counts of models, plans and upstreams are dropped when no worker has
 * them in force: workers drop their own.
 */
export class JoinedMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  readonly #ask: () => Promise<AnsweredSlot[]>
  /** The parent's own metrics. */
  readonly #own = new Registry()
  readonly #answering: Gauge
  readonly #restarts: Counter
  readonly #kills: Counter
  /** The counts of ended workers. */
  #ended: Promise<ProcessMetrics> = Promise.resolve([])

  constructor(ask: () => Promise<AnsweredSlot[]>) {
    this.#ask = ask
    const registers = [this.#own]
    this.#answering = new Gauge({
      name: 'tollgate_workers',
      help: 'Workers of GATEWAY_WORKERS that answer',
      registers
    })
    this.#kills = new Counter({
      name: 'tollgate_worker_kills_total',
      help: 'Workers that were killed because they did not answer for 30 seconds',
      registers
    })
    this.#restarts = new Counter({
      name: 'tollgate_worker_restarts_total',
      help: 'Workers that ended, and were started again',
      registers
    })
  }

  workerRestarted(): void {
    this.#restarts.inc()
  }

  workerKilled(): void {
    this.#kills.inc()
  }

  /** @param metrics those of the worker's last answer */
  workerEnded(metrics: ProcessMetrics): void {
    this.#ended = this.#ended.then((ended) => join([ended, countsIn(metrics)]).getMetricsAsJSON())
  }

  async metrics(): Promise<string> {
    // First: a worker that ends while it is asked must not count twice.
    const ended = await this.#ended
    const slots = await this.#ask()
    const answers = slots.flatMap(({ state }) => state ?? [])
    this.#answering.set(answers.length)
    const isInForce = inForceIn(answers.map(({ names }) => names))
    this.#ended = this.#ended.then((all) => all.map(isInForce))
    const silent = slots.filter(({ state }) => state === null)
    const others = [...silent.map(({ lastMetrics }) => countsIn(lastMetrics)), ended].map((all) => all.map(isInForce))
    const lags = await Promise.all(silent.flatMap(({ silentMs }) => (silentMs === null ? [] : [lagOf(silentMs)])))
    const ofWorkers = answers.map(({ metrics }) => metrics ?? [])
    return join([...ofWorkers, ...others, ...lags, await this.#own.getMetricsAsJSON()]).metrics()
  }
}

/**
 * @returns removes the series of a metric with names that no worker has. Without an answer, names are unknown, and all
 * stay
 */
function inForceIn(all: readonly NamesByLabel[]): (metric: ProcessMetrics[number]) => ProcessMetrics[number] {
  const names = new Map<string, Set<string>>()
  for (const [label, values] of all.flatMap(Object.entries<readonly string[]>)) {
    names.set(label, new Set([...(names.get(label) ?? ['', otherLabel]), ...values]))
  }
  const isInForce = ([label, value]: [string, unknown]) => names.get(label)?.has(String(value)) !== false
  return (metric) => ({
    ...metric,
    values: metric.values.filter(({ labels }) => Object.entries(labels).every(isInForce))
  })
}

/** The lag of a worker that does not answer: its event loop has been blocked for at least so long. */
async function lagOf(silentMs: number): Promise<ProcessMetrics> {
  const registry = new Registry()
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'nodejs_eventloop_lag_max_seconds']) {
    new Gauge({ name, help: 'Lag of the event loop', aggregator: 'max', registers: [registry] }).set(silentMs / 1000)
  }
  return registry.getMetricsAsJSON()
}

const join = (all: readonly ProcessMetrics[]): Registry => AggregatorRegistry.aggregate(all as never[])

function countsIn(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.filter(({ type }) => String(type) === 'counter' || String(type) === 'histogram')
}

/**
 * Joins the readiness of all workers. They are ready together while at least half of them are: the system gives
 * connections only to workers that listen, and a worker that ended is back within seconds.
 */
export function joinReadiness(slots: readonly AnsweredSlot[], stopping: boolean): Readiness {
  const needed = Math.ceil(slots.length / 2)
  const workers = slots.map(({ number, pid, state }) => ({
    worker: number,
    pid,
    ready: state?.readiness.isReady === true,
    ...(state === null ? { answers: false } : withoutProblems(state.readiness.details))
  }))
  const ready = workers.filter((worker) => worker.ready).length
  const problems = slots.flatMap(({ state }) => (state?.readiness.details.problems as object[] | undefined) ?? [])
  return {
    isReady: ready >= needed && !stopping,
    details: { ready, needed, stopping, workers, problems: distinct(problems) }
  }
}

function withoutProblems({ problems: _, ...others }: Readiness['details']): Readiness['details'] {
  return others
}

/** Workers have the same upstreams, and mostly the same problems. */
function distinct(problems: readonly object[]): object[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}
