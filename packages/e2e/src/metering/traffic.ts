import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, ask } from './ask.ts'

/** A request that has been answered; times are on the clock of `performance.now`. */
export type Asked = {
  sentAt: number
  answeredAt: number
  /** `200`, or status and code of the failure. */
  outcome: string
  answer: Answer
}

export type Traffic = {
  readonly asked: readonly Asked[]
  /** Resolves with the requests that are sent from now on, once there are so many answers to them. */
  next(count: number): Promise<readonly Asked[]>
  /** Ends once the requests under way are answered. */
  stop(): Promise<readonly Asked[]>
}

/**
 * Sends requests at a steady rate, whether or not those before are answered, to each gateway in turn.
 *
 * @param perSecond of all gateways together
 * @param body of the next request, and the secret it is sent with
 */
export function startTraffic(
  urls: readonly string[],
  perSecond: number,
  next: () => { secret: string; body: object }
): Traffic {
  const asked: Asked[] = []
  const underWay = new Set<Promise<void>>()
  const startedAt = performance.now()
  let stopped = false
  const waiting = new Set<() => void>()

  async function askOne(number: number): Promise<void> {
    const sentAt = performance.now()
    const { secret, body } = next()
    const answer = await ask(urls[number % urls.length]!, secret, body)
    const outcome = answer.error === null ? String(answer.status) : `${answer.status} ${answer.error.code}`
    asked.push({ sentAt, answeredAt: performance.now(), outcome, answer })
    for (const look of waiting) look()
  }

  async function run(): Promise<void> {
    for (let number = 0; !stopped; number++) {
      const one = askOne(number)
      underWay.add(one)
      void one.finally(() => underWay.delete(one))
      await delay(Math.max(0, startedAt + ((number + 1) * 1000) / perSecond - performance.now()))
    }
    await Promise.all(underWay)
  }
  const running = run()

  return {
    asked,
    async next(count) {
      const from = performance.now()
      const found = () => asked.filter(({ sentAt }) => sentAt >= from)
      await new Promise<void>((resolve, reject) => {
        const look = () => {
          if (found().length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        running.catch(reject)
      })
      return found()
    },
    async stop() {
      stopped = true
      await running
      return asked
    }
  }
}

/** The different outcomes of requests, in the order in which they first came. */
export const outcomesOf = (asked: readonly Asked[]): string[] => [...new Set(asked.map(({ outcome }) => outcome))]
