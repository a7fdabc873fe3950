import type { FastifyBaseLogger } from 'fastify'

/** Work above this number is dropped: a mail would arrive too late. */
const maxUnderWay = 100

/** Work after the answer, so that the answer's time reveals nothing about it. */
export interface Background {
  /**
   * Starts after the answer is sent. Failures are only logged. Work above the cap is dropped and logged.
   *
   * @param task must have its own time limit
   */
  run(what: string, task: () => Promise<void>): void
  /** Resolves when no work is under way. */
  ended(): Promise<void>
}

export function createBackground(log: Pick<FastifyBaseLogger, 'warn'>, cap = maxUnderWay): Background {
  const underWay = new Set<Promise<void>>()

  async function perform(what: string, task: () => Promise<void>): Promise<void> {
    // In the next turn of the event loop the answer has been written.
    await new Promise((resolve) => setImmediate(resolve))
    try {
      await task()
    } catch (err) {
      log.warn({ err, what }, 'work in the background failed')
    }
  }

  return {
    run(what, task) {
      if (underWay.size >= cap) return log.warn({ what, underWay: underWay.size }, 'too much work in the background')
      const work = perform(what, task)
      underWay.add(work)
      work.finally(() => underWay.delete(work))
    },
    async ended() {
      while (underWay.size > 0) await Promise.all(underWay)
    }
  }
}
