import type { FastifyBaseLogger } from 'fastify'

/** What is under way beyond that is not begun: it would wait longer than anybody waits for a mail. */
const maxUnderWay = 100

/** Work that an answer does not wait for, so that the answer's time tells nothing about it. */
export interface Background {
  /**
   * Begins after the answer is out. Failures are logged, never told; work above the cap is dropped, which is logged too.
   *
   * @param task has a time limit of its own
   */
  run(what: string, task: () => Promise<void>): void
  /** Resolves when nothing is under way any more. */
  ended(): Promise<void>
}

export function createBackground(log: Pick<FastifyBaseLogger, 'warn'>, cap = maxUnderWay): Background {
  const underWay = new Set<Promise<void>>()

  async function perform(what: string, task: () => Promise<void>): Promise<void> {
    // By then the answer of the request that asked for it has been written.
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
