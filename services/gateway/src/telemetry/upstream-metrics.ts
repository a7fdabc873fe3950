import {
  type CounterSeries,
  FastCounter,
  FastHistogram,
  type HistogramSeries
} from '@tollgate/service/metrics/fast-series.ts'
import type { Registry } from 'prom-client'
import type { LabelNames } from './label-names.ts'

/** How a call of an upstream ended. */
export type AttemptEnd = 'success' | 'failure' | 'refused' | 'abandoned'

/** The series of one upstream. */
interface UpstreamSeries {
  readonly attempts: Readonly<Record<AttemptEnd, CounterSeries>>
  readonly retries: CounterSeries
  readonly firstByte: HistogramSeries
}

const labelNames = ['upstream'] as const

/** Counts the calls of upstreams. */
export class UpstreamMetrics {
  /** The names of upstreams that may be labels. */
  readonly names: LabelNames
  readonly #attempts: FastCounter
  readonly #retries: FastCounter
  readonly #firstByte: FastHistogram
  readonly #series = new Map<string, UpstreamSeries>()

  constructor(registry: Registry, names: LabelNames) {
    this.names = names
    this.#attempts = new FastCounter({
      name: 'tollgate_upstream_attempts_total',
      help: 'Calls of an upstream. success: a whole answer. failure: an error, or an answer that broke off. refused: the upstream refused the client’s request. abandoned: the gateway ended the call, because the client left or the request took too long',
      labelNames: ['upstream', 'outcome'],
      registry
    })
    this.#retries = new FastCounter({
      name: 'tollgate_upstream_retries_total',
      help: 'Failed calls of an upstream that the gateway followed by another call, of this upstream or of another one',
      labelNames,
      registry
    })
    this.#firstByte = new FastHistogram({
      name: 'tollgate_upstream_first_byte_seconds',
      help: 'Seconds from the call of an upstream to the first bytes of its answer that the client gets. Failed calls are not included. An answer that is no stream arrives when all of it is made',
      labelNames,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
      registry
    })
  }

  /** Sets the upstreams in force. Each is shown from now on. */
  replace(names: readonly string[]): Set<string> {
    const ended = this.names.replace(names)
    for (const metric of [this.#attempts, this.#retries, this.#firstByte]) metric.remove('upstream', ended)
    for (const name of ended) this.#series.delete(name)
    for (const name of names) this.#of(name)
    return ended
  }

  /** Counts a failed call. @param isRetried whether another call follows */
  failed(upstream: string, isRetried: boolean): void {
    const { attempts, retries } = this.#of(upstream)
    attempts.failure.add(1)
    if (isRetried) retries.add(1)
  }

  /**
   * Counts the last call of a request, if it has not failed.
   *
   * @param firstByteMs from the call to the first bytes of the answer; null if there were none
   */
  ended(upstream: string, end: AttemptEnd, firstByteMs: number | null): void {
    const { attempts, firstByte } = this.#of(upstream)
    if (end !== 'failure') attempts[end].add(1)
    if (firstByteMs !== null) firstByte.observe(firstByteMs / 1000)
  }

  #of(upstream: string): UpstreamSeries {
    return this.#series.get(upstream) ?? this.#resolve(this.names.labelOf(upstream))
  }

  #resolve(label: string): UpstreamSeries {
    const attempts = (end: AttemptEnd) => this.#attempts.series(label, end)
    const series: UpstreamSeries = {
      attempts: {
        success: attempts('success'),
        failure: attempts('failure'),
        refused: attempts('refused'),
        abandoned: attempts('abandoned')
      },
      retries: this.#retries.series(label),
      firstByte: this.#firstByte.series(label)
    }
    this.#series.set(label, series)
    return series
  }
}
