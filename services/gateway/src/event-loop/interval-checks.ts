/**
 * Calls a function at regular intervals, to find what has taken too long. After a suspension of the process, timers fire before
 * sockets are read. So a late check is skipped, and the process reads what has arrived first. Two checks in a row are never skipped,
 * or a process that is always late would find nothing. The second one waits until sockets have been read once.
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

  /** Has no effect if already started. The timer does not keep the process alive. */
  start(): void {
    if (this.#timer !== undefined) return
    this.#lastAt = performance.now()
    this.#skipped = false
    this.#timer = setInterval(() => this.#due(), this.#everyMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #due(): void {
    const now = performance.now()
    const isLate = now - this.#lastAt > 2 * this.#everyMs
    this.#lastAt = now
    this.#skipped = isLate && !this.#skipped
    if (this.#skipped) return
    if (isLate) setImmediate(() => setImmediate(this.#check))
    else this.#check()
  }
}
