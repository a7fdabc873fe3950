/** How a request went. Times are on the clock of `performance.now`. */
export type Sent = {
  sentAt: number
  answeredAt: number
  /**
   * `200`; status and code of a refusal; `broken` for a connection or stream that ended too early, {@link unanswered} for
   * one that did not end.
   */
  outcome: string
  account: string
}

/** What nobody may ever see. */
export const unanswered = 'unanswered'
/** Nothing that is asked here takes as long, unless nobody answers. */
export const patienceMs = 60_000

/** Sends at a steady rate, whether or not those before are answered. `stop` resolves when all are. */
export function steadily(perSecond: number, send: (number: number) => Promise<void>): { stop(): Promise<void> } {
  const underWay = new Set<Promise<void>>()
  const startedAt = performance.now()
  let number = 0
  const timer = setInterval(() => {
    // As many as are due: a process that was busy for long catches up.
    const due = ((performance.now() - startedAt) * perSecond) / 1000
    while (number < due) {
      const one = send(number++).finally(() => underWay.delete(one))
      underWay.add(one)
    }
  }, 10)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
    }
  }
}
