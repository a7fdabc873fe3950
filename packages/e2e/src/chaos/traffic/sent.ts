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

/** More than are under way while Redis is away; what a machine cannot do in time must not pile up. */
const mostUnderWay = 60

/** Sends at a steady rate, whether or not those before are answered. `stop` resolves when all are. */
export function steadily(perSecond: number, send: (number: number) => Promise<void>): { stop(): Promise<void> } {
  const underWay = new Set<Promise<void>>()
  let number = 0
  const timer = setInterval(() => {
    if (underWay.size >= mostUnderWay) return
    const one = send(number++).finally(() => underWay.delete(one))
    underWay.add(one)
  }, 1000 / perSecond)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
    }
  }
}

/** How often requests ended in which way. */
export function countOutcomes(sent: readonly Pick<Sent, 'outcome'>[]): Map<string, number> {
  const outcomes = new Map<string, number>()
  for (const { outcome } of sent) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  return outcomes
}
