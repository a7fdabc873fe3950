/**
 * Calls a function at regular intervals, to find what has taken too long. An interval in which the process could not run
 * does not count: after a suspension, timers are due before sockets are read. So a late look is left out, and what has
 * come meanwhile is read until the next one. Two in a row are never left out, or a process that is always late would find
 * nothing; the second waits until the sockets have been read once.
 */
export class IntervalChecks {
  readonly #everyMs: number
  readonly #look: () => void
  #timer: NodeJS.Timeout | undefined
  #lastAt = 0
  #leftOut = false

  constructor(everyMs: number, look: () => void) {
    this.#everyMs = everyMs
    this.#look = look
  }

  /** Has no effect while they go on. They do not keep the process from ending. */
  start(): void {
    if (this.#timer !== undefined) return
    this.#lastAt = performance.now()
    this.#leftOut = false
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
    this.#leftOut = isLate && !this.#leftOut
    if (this.#leftOut) return
    if (isLate) setImmediate(() => setImmediate(this.#look))
    else this.#look()
  }
}
