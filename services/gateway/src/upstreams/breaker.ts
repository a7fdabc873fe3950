/** Outcomes are counted in two halves of this; the older half is forgotten when a new one begins. */
const windowMs = 10_000
/** It takes so many failures, and they at least this share of all, to stop calling an upstream. */
const fewestFailures = 5
const failingShare = 0.5
const firstPauseMs = 2000
const longestPauseMs = 60_000
const probeEveryMs = 1000

export type BreakerState = 'closed' | 'open' | 'half-open'

/**
 * Stops calls of an upstream that fails, so that requests do not wait for it and it can recover: a circuit breaker
 * (M. Nygard, "Release It!"). After a pause requests are let through one by one as probes; the first success ends the
 * pause, a failure begins a longer one.
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

  /** Milliseconds until a call may be made; 0 for now. */
  waitMs(now: number): number {
    return this.#state === 'closed' ? 0 : Math.max(0, this.#nextProbeAt - now)
  }

  /** Says that a call is made now. @returns whether it is a probe */
  begin(now: number): boolean {
    if (this.#state === 'closed') return false
    // A probe that hangs, or whose client leaves, must not be the last one.
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
      this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
      this.#open(now)
    } else if (this.#state === 'closed') {
      this.#count(1, now)
      const failures = this.#failures + this.#olderFailures
      const outcomes = this.#outcomes + this.#olderOutcomes
      if (failures >= fewestFailures && failures >= failingShare * outcomes) this.#open(now)
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
