/**
 * Runs a check for overdue work at regular intervals.
 *
 * After a suspension of the process, timers fire before sockets are read. So a late check is skipped, and the process
 * reads its sockets first. Two checks in a row are never skipped, because a process that is always late would check
 * nothing. The second check waits until the sockets have been read once.
 */
export class IntervalChecks {
  readonly #everyMs: number
  readonly #check: () => void
  #timer: NodeJS.Timeout | undefined
  #lastAt = 0
  #skipped = false

  constructor(everyMs: number, check: () => void) {
    this.#everyMs = everyMs
    this.#check = check
  }

  /** Has no effect while started. The timer does not keep the process alive. */
  start(): void {
    if (this.#timer !== undefined) return
    this.#lastAt = performance.now()
    this.#skipped = false
    this.#timer = setInterval(() => this.#onTimer(), this.#everyMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #onTimer(): void {
    const now = performance.now()
    const isLate = now - this.#lastAt > 2 * this.#everyMs
    this.#lastAt = now
    this.#skipped = isLate && !this.#skipped
    if (this.#skipped) return
    if (isLate) setImmediate(() => setImmediate(this.#check))
    else this.#check()
  }
}
