import { type CounterSeries, FastCounter } from '@tollgate/service/metrics/fast-counter.ts'
import { FastHistogram, type HistogramSeries } from '@tollgate/service/metrics/fast-histogram.ts'
import type { Registry } from 'prom-client'

/** Measures what requests ask Redis. The requests of one turn of the event loop share a question, so it costs little. */
export class RedisMetrics {
  readonly #roundTrip: HistogramSeries
  readonly #errors: CounterSeries

  constructor(registry: Registry) {
    this.#roundTrip = new FastHistogram({
      name: 'tollgate_redis_round_trip_seconds',
      help: 'Seconds until Redis answered a batch of admissions, settlements or cancellations, the gateway’s own delay included. The requests of one turn of the event loop share a batch',
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registry
    }).series()
    this.#errors = new FastCounter({
      name: 'tollgate_redis_errors_total',
      help: 'Questions of requests to Redis that failed or could not be sent: keys, admissions, settlements, cancellations and idempotency keys, repeated ones included',
      registry
    }).series()
  }

  /** @param sentAt `performance.now()` before the question was sent */
  answered(sentAt: number): void {
    this.#roundTrip.observe((performance.now() - sentAt) / 1000)
  }

  failed(): void {
    this.#errors.add(1)
  }
}
