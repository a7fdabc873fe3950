/** Of so many calls one may be repeated. */
const callsPerRetry = 5
/** Retries that are there from the start, and at most. */
const mostRetries = 20

/**
 * Keeps retries from multiplying an outage: each call of an upstream pays in a fifth of a retry, each retry after its
 * failure takes a whole one (as in Finagle's RetryBudget).
 */
export class RetryBudget {
  // Counted in fifths, which are whole.
  #balance = mostRetries * callsPerRetry

  called(): void {
    if (this.#balance < mostRetries * callsPerRetry) this.#balance++
  }

  /** Whether there is a retry to take. */
  get isAllowed(): boolean {
    return this.#balance >= callsPerRetry
  }

  /** Takes a retry, if there is one. */
  take(): boolean {
    if (!this.isAllowed) return false
    this.#balance -= callsPerRetry
    return true
  }
}
