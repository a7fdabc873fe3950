/** How long work may hold the event loop in one of its turns, ms; a step that has begun is finished. */
const workMs = 2

type Work = { step: () => boolean; done: (failure: unknown) => void }

/**
 * Shares the event loop among works that take long: in each turn of the loop some of their steps are done, one of each in
 * turn. So requests with long bodies wait for each other, and no other request waits for more than a few milliseconds.
 */
export class TimeSlices {
  #waiting: Work[] = []
  #isScheduled = false

  /**
   * @param step does a part of the work, a millisecond at most; returns whether it was the last
   * @param done gets what a step threw, or null
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
    const until = performance.now() + workMs
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
