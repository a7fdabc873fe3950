import { FastCounter } from '@tollgate/service/metrics/fast-series.ts'
import type { Kept } from '@tollgate/state/idempotency/idempotency.ts'
import type { Registry } from 'prom-client'

/** Counts requests with an `Idempotency-Key`, and the answers that are kept for them. */
export class IdempotencyMetrics {
  readonly #requests: FastCounter<'outcome'>
  readonly #answers: FastCounter<'outcome'>

  constructor(registry: Registry) {
    this.#requests = new FastCounter({
      name: 'tollgate_idempotent_requests_total',
      help: 'Requests with an Idempotency-Key. run: nobody had sent the request before. waited: an equal request was running; afterwards it counts again. replayed: it got the kept answer. conflict: another request had the same key. lost: the answer was not kept, or nobody knows whether there is one, so the request was refused',
      labelNames: ['outcome'],
      registry
    })
    this.#answers = new FastCounter({
      name: 'tollgate_idempotent_answers_total',
      help: 'Answers to requests with an Idempotency-Key. kept: in Redis. marked: too long, or no room; repeats are refused. dropped: no room even for a mark; repeats run again. expired: Redis had lost the claim. evicted: a kept answer left for a newer one; repeats are refused. failed: attempts that Redis did not acknowledge; they are repeated',
      labelNames: ['outcome'],
      registry
    })
  }

  /** Counts a request. */
  asked(outcome: 'run' | 'waited' | 'replayed' | 'conflict' | 'lost'): void {
    this.#requests.series(outcome).add(1)
  }

  /** Counts an answer. @param evicted earlier answers that left for it */
  kept(outcome: Kept['outcome'], evicted: number): void {
    this.#answers.series(labels[outcome]).add(1)
    if (evicted > 0) this.#answers.series('evicted').add(evicted)
  }

  /** Counts a write that failed. */
  failed(): void {
    this.#answers.series('failed').add(1)
  }
}

const labels: Readonly<Record<Kept['outcome'], string>> = {
  kept: 'kept',
  lost: 'marked',
  none: 'dropped',
  other: 'expired'
}
