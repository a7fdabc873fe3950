/** Of so many calls one may be repeated. */
const callsPerRetry = 5
/** Retries that are there from the start, and at most. */
const mostRetries = 20

/**
 * Limits retries, so that they do not multiply the load in an outage. Each upstream call adds a fifth of a retry; each retry after a
 * failure takes a whole one (as in Finagle's RetryBudget).
 */
export class RetryBudget {
  // Counted in fifths, so that it is an integer.
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
