import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, ask } from './ask.ts'

/** An answered request. Times come from `performance.now`. */
export interface Asked {
  sentAt: number
  answeredAt: number
  /** `200`, or status and code of the failure. */
  outcome: string
  answer: Answer
}

export interface Traffic {
  readonly asked: readonly Asked[]
  /** Waits for `count` answers to requests sent from now on. @returns those requests */
  next(count: number): Promise<readonly Asked[]>
  /** Stops sending. Resolves when all requests are answered. */
  stop(): Promise<readonly Asked[]>
}

/**
 * Sends requests to each gateway in turn, at a steady rate, without waiting for answers.
 *
 * @param perSecond over all gateways
 * @param next returns the body and secret of the next request
 */
export function startTraffic(
  urls: readonly string[],
  perSecond: number,
  next: () => { secret: string; body: object }
): Traffic {
  const requests: Asked[] = []
  const inFlight = new Set<Promise<void>>()
  const startedAt = performance.now()
  let stopped = false
  const waiting = new Set<() => void>()

  async function askOne(number: number): Promise<void> {
    const sentAt = performance.now()
    const { secret, body } = next()
    const answer = await ask(urls[number % urls.length]!, secret, body)
    const outcome = answer.error === null ? String(answer.status) : `${answer.status} ${answer.error.code}`
    requests.push({ sentAt, answeredAt: performance.now(), outcome, answer })
    for (const check of waiting) check()
  }

  async function run(): Promise<void> {
    for (let number = 0; !stopped; number++) {
      const one = askOne(number)
      inFlight.add(one)
      void one.finally(() => inFlight.delete(one))
      await delay(Math.max(0, startedAt + ((number + 1) * 1000) / perSecond - performance.now()))
    }
    await Promise.all(inFlight)
  }
  const running = run()

  return {
    asked: requests,
    async next(count) {
      const from = performance.now()
      const recentRequests = () => requests.filter(({ sentAt }) => sentAt >= from)
      await new Promise<void>((resolve, reject) => {
        const check = () => {
          if (recentRequests().length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        running.catch(reject)
      })
      return recentRequests()
    },
    async stop() {
      stopped = true
      await running
      return requests
    }
  }
}

/** The different outcomes, in order of their first occurrence. */
export const outcomesOf = (requests: readonly Asked[]): string[] => [...new Set(requests.map(({ outcome }) => outcome))]

/** Creates a random generator from a seed: Mulberry32, by Tommy Ettinger. Values are in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Delays answers while it is closed. */
export class Gate {
  #opening = Promise.withResolvers<void>()

  /** Creates an open gate. */
  constructor() {
    this.open()
  }

  /** Resolves when it is open. */
  readonly pass = (): Promise<void> => this.#opening.promise

  close(): void {
    this.#opening = Promise.withResolvers()
  }

  open(): void {
    this.#opening.resolve()
  }
}
