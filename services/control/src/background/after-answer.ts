import type { FastifyBaseLogger } from 'fastify'

/** Work above this number is dropped: a mail would arrive too late. */
const maxRunning = 100

/** Runs work after the answer, so that the time of the answer reveals nothing about the work. */
export interface Background {
  /**
   * Starts after the answer is sent. Failures are only logged. Work above the cap is dropped and logged.
   *
   * @param task must have its own timeout
   * @returns false if the work was dropped
   */
  run(what: string, task: () => Promise<void>): boolean
  /** How much work has not ended. */
  running(): number
  /** Resolves when no work is running. */
  ended(): Promise<void>
}

export function createBackground(log: Pick<FastifyBaseLogger, 'warn'>, cap = maxRunning): Background {
  const running = new Set<Promise<void>>()

  async function perform(what: string, task: () => Promise<void>): Promise<void> {
    // The answer is written before the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    try {
      await task()
    } catch (err) {
      log.warn({ err, what }, 'background work failed')
    }
  }

  return {
    run(what, task) {
      if (running.size >= cap) {
        log.warn({ what, running: running.size }, 'too much background work; dropped')
        return false
      }
      const work = perform(what, task)
      running.add(work)
      work.finally(() => running.delete(work))
      return true
    },
    running: () => running.size,
    async ended() {
      while (running.size > 0) await Promise.all(running)
    }
  }
}
