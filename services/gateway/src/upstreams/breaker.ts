/** Outcomes within this window count. It has two halves: when a new one begins, the older one is dropped. */
const windowMs = 10_000
/** The breaker opens after this many failures, if they are at least this share of all outcomes. */
const minFailures = 5
const minFailureShare = 0.5
const minPauseMs = 2000
const maxPauseMs = 60_000
const probeEveryMs = 1000

export type BreakerState = 'closed' | 'open' | 'half-open'

/**
 * Circuit breaker (M. Nygard, "Release It!"): stops calls of a failing upstream, so that requests do not wait and the upstream can
 * recover. After a pause, requests pass one by one as probes. A successful probe closes the breaker; a failed one starts a longer
 * pause.
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
  #pauseMs = minPauseMs
  #nextProbeAt = 0

  constructor(onChange: (state: BreakerState) => void = () => {}) {
    this.#onChange = onChange
  }

  get state(): BreakerState {
    return this.#state
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
      this.#pauseMs = minPauseMs
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
      if (failures >= minFailures && failures >= minFailureShare * outcomes) this.#open(now)
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
