/** Each retry needs this many calls. */
const callsPerRetry = 5
/** Initial and maximum number of retries. */
const maxRetries = 20

/**
 * Limits retries, so that they do not multiply the load in an outage. Each call adds a fifth of a retry to the budget,
 * and each retry takes a whole one (as in Finagle's RetryBudget).
 */
export class RetryBudget {
  // In fifths of a retry, so that it is an integer.
  #balance = maxRetries * callsPerRetry

  called(): void {
    if (this.#balance < maxRetries * callsPerRetry) this.#balance++
  }

  /** Whether the budget has a retry. */
  get isAllowed(): boolean {
    return this.#balance >= callsPerRetry
  }

  /** Takes a retry from the budget. @returns whether it had one */
  take(): boolean {
    if (!this.isAllowed) return false
    this.#balance -= callsPerRetry
    return true
  }
}
