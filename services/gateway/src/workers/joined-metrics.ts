import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import type { ProcessMetrics } from './messages.ts'
import type { AnsweredSlot } from './worker-pool.ts'

/**
 * The metrics of all workers together: counters and histograms are sums, and each gauge says how its values are joined.
 *
 * The counts of workers that ended or do not answer are kept. Otherwise the sums would fall, and Prometheus would take that for a
 * restart and count the rest again.
 */
export class JoinedMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  readonly #ask: () => Promise<AnsweredSlot[]>
  /** The parent's own metrics. */
  readonly #own = new Registry()
  readonly #answering: Gauge
  readonly #restarts: Counter
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
    this.#restarts = new Counter({
      name: 'tollgate_worker_restarts_total',
      help: 'Workers that ended, and were started again',
      registers
    })
  }

  workerRestarted(): void {
    this.#restarts.inc()
  }

  /** @param metrics those of the worker's last answer */
  workerEnded(metrics: ProcessMetrics): void {
    this.#ended = this.#ended.then((ended) => join([ended, countsIn(metrics)]).getMetricsAsJSON())
  }

  async metrics(): Promise<string> {
    // First: a worker that ends while it is asked must not count twice.
    const ended = await this.#ended
    const slots = await this.#ask()
    this.#answering.set(slots.filter(({ state }) => state !== null).length)
    const ofWorkers = slots.map(({ state, lastMetrics }) => state?.metrics ?? countsIn(lastMetrics))
    return join([...ofWorkers, ended, await this.#own.getMetricsAsJSON()]).metrics()
  }
}

const join = (all: readonly ProcessMetrics[]): Registry => AggregatorRegistry.aggregate(all as never[])

function countsIn(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.filter(({ type }) => String(type) === 'counter' || String(type) === 'histogram')
}
