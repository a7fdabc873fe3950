/** Maximum time for work per turn of the event loop, ms. The last step may exceed it. */
const maxWorkMs = 2

interface Work {
  step: () => boolean
  done: (failure: unknown) => void
}

/**
 * Shares the event loop among long-running work. Each turn runs some steps, one of each work in rotation. Requests with
 * long bodies wait for each other; other requests wait at most a few milliseconds.
 */
export class TimeSlices {
  #waiting: Work[] = []
  #isScheduled = false

  /**
   * @param step does a part of the work in at most a millisecond, and returns whether the work is complete
   * @param done called at the end, with the error of a step or null
   */
  run(step: () => boolean, done: (failure: unknown) => void): void {
    this.#waiting.push({ step, done })
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    this.#isScheduled = true
    setImmediate(this.#work)
  }

  #work = (): void => {
    this.#isScheduled = false
    const until = performance.now() + maxWorkMs
    do {
      const work = this.#waiting.shift()
      if (work === undefined) return
      try {
        if (work.step()) work.done(null)
        else this.#waiting.push(work)
      } catch (error) {
        work.done(error)
      }
    } while (performance.now() < until)
    this.#schedule()
  }
}
