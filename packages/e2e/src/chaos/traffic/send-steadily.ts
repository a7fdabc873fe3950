/** A request and its outcome. Times come from `performance.now`. */
export interface Sent {
  sentAt: number
  answeredAt: number
  /**
   * `200`; status and code of a refusal; `broken` if the connection or stream ended too early; {@link unanswered} if it
   * did not end in time.
   */
  outcome: string
  account: string
  /** `x-request-id` of the answer; null if none arrived, or if it is not known. */
  id: string | null
}

/** The outcome of a request without an answer. It breaks a promise. */
export const unanswered = 'unanswered'
/** Longer than any answer takes. */
export const requestTimeoutMs = 60_000

/** More than are in flight while Redis is down. It stops a slow machine from collecting ever more requests. */
const maxInFlight = 60

/** Sends requests at a steady rate, without waiting for answers. `stop` resolves when all are answered. */
export function sendSteadily(perSecond: number, send: (number: number) => Promise<void>): { stop(): Promise<void> } {
  const inFlight = new Set<Promise<void>>()
  let number = 0
  const timer = setInterval(() => {
    if (inFlight.size >= maxInFlight) return
    const one = send(number++).finally(() => inFlight.delete(one))
    inFlight.add(one)
  }, 1000 / perSecond)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(inFlight)
    }
  }
}

/** Counts requests by outcome. */
export function countOutcomes(sent: readonly Pick<Sent, 'outcome'>[]): Map<string, number> {
  const outcomes = new Map<string, number>()
  for (const { outcome } of sent) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  return outcomes
}
