/** Outcomes within this window count. It has two halves: when a new one begins, the older one is dropped. */
const windowMs = 10_000
/** The breaker opens after this many failures, if they are at least this share of all outcomes. */
const minFailures = 5
const minFailureShare = 0.5
const [minPauseMs, maxPauseMs] = [1000, 5000]

export type BreakerState = 'closed' | 'open' | 'half-open'

/**
 * Circuit breaker (M. Nygard, "Release It!"): tells that an upstream fails, so that requests go to others. While it is
 * not closed, single requests pass as probes, at first each second. A successful probe closes it. With each other probe
 * the pause grows, up to five seconds.
 *
 * It forbids nothing: without a better upstream, calls go on. They count, but are no probes. See `targets.ts`.
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

  /** @param onChange called after the state changed, unless by {@link follow} */
  constructor(onChange: (state: BreakerState) => void = () => {}) {
    this.#onChange = onChange
  }

  get state(): BreakerState {
    return this.#state
  }

  /** Milliseconds until requests may call the upstream although others work; 0 if they may now. */
  waitMs(now: number): number {
    return this.#state === 'closed' ? 0 : Math.max(0, this.#nextProbeAt - now)
  }

  /** The share of failures among the outcomes that were counted last. Without any, it follows from the state. */
  get failureShare(): number {
    const outcomes = this.#outcomes + this.#olderOutcomes
    if (outcomes === 0) return this.#state === 'closed' ? 0 : 1
    return (this.#failures + this.#olderFailures) / outcomes
  }

  /** Call this when a call begins. @returns whether the call is a probe */
  begin(now: number): boolean {
    if (this.waitMs(now) > 0 || this.#state === 'closed') return false
    // If a probe hangs or its client leaves, the next one may follow.
    this.#nextProbeAt = now + this.#pauseMs
    this.#pauseMs = Math.min(2 * this.#pauseMs, maxPauseMs)
    this.#become('half-open')
    return true
  }

  succeeded(isProbe: boolean, now: number): void {
    if (isProbe) {
      this.#forget()
      this.#become('closed')
    } else this.#count(0, now)
  }

  failed(isProbe: boolean, now: number): void {
    this.#count(1, now)
    if (this.#state !== 'closed') {
      if (isProbe) this.#become('open')
    } else if (this.#failures + this.#olderFailures >= minFailures && this.failureShare >= minFailureShare) {
      this.#startPauses(now)
      this.#become('open')
    }
  }

  /** Takes over what another process knows of the same upstream. */
  follow(state: 'open' | 'closed', now: number): void {
    if ((state === 'closed') === (this.#state === 'closed')) return
    if (state === 'closed') this.#forget()
    else this.#startPauses(now)
    this.#state = state
  }

  #startPauses(now: number): void {
    this.#pauseMs = minPauseMs
    this.#nextProbeAt = now + minPauseMs
  }

  #forget(): void {
    this.#failures = this.#outcomes = this.#olderFailures = this.#olderOutcomes = 0
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
