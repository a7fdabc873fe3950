/** Outcomes count in two halves of this window. When a new half begins, the older one is dropped. */
const windowMs = 10_000
/** An upstream is no longer called after this many failures, if they are at least the share below of all outcomes. */
const minFailures = 5
const failingShare = 0.5
const firstPauseMs = 2000
const maxPauseMs = 60_000
const probeEveryMs = 1000

export type BreakerState = 'closed' | 'open' | 'half-open'

/**
 * Circuit breaker (M. Nygard, "Release It!"): stops calls of a failing upstream, so that requests do not wait and the upstream can
 * recover. After a pause, requests pass one by one as probes. The first success ends the pause; a failure starts a longer one.
 *
 * Times are milliseconds of one monotonic clock.
 */
export class Breaker {
  readonly #onChange: (state: BreakerState) => void
  #state: BreakerState = 'closed'
  #halfBeganAt = Number.NEGATIVE_INFINITY
  #failures = 0
  #outcomes = 0
  #olderFailures = 0
  #olderOutcomes = 0
  #pauseMs = firstPauseMs
  #nextProbeAt = 0

  constructor(onChange: (state: BreakerState) => void = () => {}) {
    this.#onChange = onChange
  }

  /** Milliseconds until a call is allowed; 0 if it is allowed now. */
  waitMs(now: number): number {
    return this.#state === 'closed' ? 0 : Math.max(0, this.#nextProbeAt - now)
  }

  /** Call this when a call begins. @returns whether the call is a probe */
  begin(now: number): boolean {
    if (this.#state === 'closed') return false
    // If a probe hangs or its client leaves, the next one may follow.
    this.#nextProbeAt = now + probeEveryMs
    this.#become('half-open')
    return true
  }

  succeeded(isProbe: boolean, now: number): void {
    if (isProbe) {
      this.#pauseMs = firstPauseMs
      this.#failures = this.#outcomes = this.#olderFailures = this.#olderOutcomes = 0
      this.#become('closed')
    } else if (this.#state === 'closed') this.#count(0, now)
  }

  failed(isProbe: boolean, now: number): void {
    if (isProbe && this.#state !== 'closed') {
      this.#pauseMs = Math.min(2 * this.#pauseMs, maxPauseMs)
      this.#open(now)
    } else if (this.#state === 'closed') {
      this.#count(1, now)
      const failures = this.#failures + this.#olderFailures
      const outcomes = this.#outcomes + this.#olderOutcomes
      if (failures >= minFailures && failures >= failingShare * outcomes) this.#open(now)
    }
  }

  #open(now: number): void {
    this.#nextProbeAt = now + this.#pauseMs
    this.#become('open')
  }

  #count(failure: 0 | 1, now: number): void {
    const age = now - this.#halfBeganAt
    if (age >= windowMs / 2) {
      const isNext = age < windowMs
      this.#olderFailures = isNext ? this.#failures : 0
      this.#olderOutcomes = isNext ? this.#outcomes : 0
      this.#failures = this.#outcomes = 0
      this.#halfBeganAt = now
    }
    this.#failures += failure
    this.#outcomes++
  }

  #become(state: BreakerState): void {
    if (state === this.#state) return
    this.#state = state
    this.#onChange(state)
  }
}
