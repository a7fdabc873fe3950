import type { Piscina } from 'piscina'
import type { CountablePrompt } from './count-prompt.ts'
import type { Countable, Estimate } from './estimate-usage.ts'
import { tokensInTransit } from './received-text.ts'

/** Maximum answers that wait to be counted. They stay in memory together with their requests. */
const maxWaiting = 1000
const maxWaitingBytes = 64 * 1024 * 1024
/** Longer prompts would keep the thread for too long. */
const maxPromptBytes = 2 * 1024 * 1024

export interface UsageEstimator {
  /**
   * Estimates usage outside of the event loop. Never rejects: if counting fails, the size of the answer bounds its
   * tokens.
   */
  estimate(countable: Countable): Promise<Estimate>
  /** Bounds a prompt by its tokenizer; null if it cannot be counted now. Never rejects. */
  countPrompt(prompt: CountablePrompt): Promise<number | null>
  /** Stops counting. The sizes of waiting answers bound their tokens. */
  abort(): Promise<void>
  close(): Promise<void>
}

/** Counts tokens in its own thread. The thread exists only while something waits. */
export function createUsageEstimator(onError: (error: unknown) => void): UsageEstimator {
  let pool: Promise<Piscina> | undefined
  let waitingBytes = 0

  /** Runs a function in the thread; null if too many bytes wait, or it fails. */
  async function run<Task, Result>(name: string, task: Task, bytes: number): Promise<Result | null> {
    if (waitingBytes + bytes > maxWaitingBytes) return null
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
      const long = (countable.prompt?.body.length ?? 0) > maxPromptBytes
      const task = long ? { ...countable, prompt: null } : countable
      const bytes = (task.prompt?.body.length ?? 0) + task.received.answer.length
      return (await run<Countable, Estimate>('estimateUsage', task, bytes)) ?? bySize(countable)
    },
    async countPrompt(prompt) {
      return prompt.body.length > maxPromptBytes ? null : run('countPrompt', prompt, prompt.body.length)
    },
    abort: async () => (await pool)?.destroy(),
    close: async () => (await pool)?.close()
  }
}

/** Loaded on first use: most gateways never need it. */
async function openPool(): Promise<Piscina> {
  const { Piscina } = await import('piscina')
  return new Piscina({
    filename: new URL('./estimate-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
    maxQueue: maxWaiting
  })
}

/** No text has more tokens than bytes. */
function bySize({ received, answers }: Countable): Estimate {
  const { answer, unseenBytes, isCut } = received
  return { promptTokens: null, completionTokens: answer.length + unseenBytes + (isCut ? answers * tokensInTransit : 0) }
}
