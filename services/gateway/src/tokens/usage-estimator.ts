import type { Piscina } from 'piscina'
import type { CountablePrompt } from './count-prompt.ts'
import type { Countable, Estimate } from './estimate-usage.ts'
import { tokensUnderWay } from './tokens-under-way.ts'

/** Answers that wait to be counted, with their requests, are kept in memory meanwhile. */
const mostWaiting = 1000
const mostWaitingBytes = 64 * 1024 * 1024
/** Longer prompts would keep the thread for too long. */
const longestPrompt = 2 * 1024 * 1024

export type UsageEstimator = {
  /** Counts off the event loop. Never rejects: what cannot be counted any more is bounded by its size. */
  estimate(countable: Countable): Promise<Estimate>
  /** The most tokens that a prompt can have, by its tokenizer; null if it cannot be counted now. Never rejects. */
  countPrompt(prompt: CountablePrompt): Promise<number | null>
  /** Ends the counting: what waits is bounded by its size. */
  hurry(): Promise<void>
  close(): Promise<void>
}

/** Counts tokens in a thread of its own, which exists only while there is something to count. */
export function createUsageEstimator(onError: (error: unknown) => void): UsageEstimator {
  let pool: Promise<Piscina> | undefined
  let waitingBytes = 0

  /** Runs a function of the thread; null if there is too much to do already, or if it fails. */
  async function run<Task, Result>(name: string, task: Task, bytes: number): Promise<Result | null> {
    if (waitingBytes + bytes > mostWaitingBytes) return null
    waitingBytes += bytes
    try {
      pool ??= openPool()
      return (await (await pool).run(task, { name })) as Result
    } catch (error) {
      onError(error)
      return null
    } finally {
      waitingBytes -= bytes
    }
  }

  return {
    async estimate(countable) {
      const long = (countable.prompt?.body.length ?? 0) > longestPrompt
      const task = long ? { ...countable, prompt: null } : countable
      const bytes = (task.prompt?.body.length ?? 0) + task.received.answer.length
      return (await run<Countable, Estimate>('estimateUsage', task, bytes)) ?? bySize(countable)
    },
    async countPrompt(prompt) {
      return prompt.body.length > longestPrompt ? null : run('countPrompt', prompt, prompt.body.length)
    },
    hurry: async () => (await pool)?.destroy(),
    close: async () => (await pool)?.close()
  }
}

/** Most gateways never need it. */
async function openPool(): Promise<Piscina> {
  const { Piscina } = await import('piscina')
  return new Piscina({
    filename: new URL('./estimate-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
    maxQueue: mostWaiting
  })
}

/** No text has more tokens than bytes. */
function bySize({ received, answers }: Countable): Estimate {
  const { answer, unseenBytes, isCut } = received
  return { promptTokens: null, completionTokens: answer.length + unseenBytes + (isCut ? answers * tokensUnderWay : 0) }
}
