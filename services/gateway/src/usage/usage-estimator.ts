import type { Piscina } from 'piscina'
import type { Countable } from './estimate-usage.ts'
import type { Usage } from './usage.ts'

/** Answers that wait to be counted, with their requests, are kept in memory meanwhile. */
const mostWaiting = 1000
const mostWaitingBytes = 64 * 1024 * 1024
const usualBytesPerToken = 4

export type UsageEstimator = {
  /** Counts off the event loop. Never rejects: what cannot be counted any more is taken from its size. */
  estimate(countable: Countable): Promise<Usage>
  /** Ends the counting: what waits is taken from its size. */
  hurry(): Promise<void>
  close(): Promise<void>
}

/** Counts tokens in a thread of its own, which exists only while there is something to count. */
export function createUsageEstimator(onError: (error: unknown) => void): UsageEstimator {
  let pool: Promise<Piscina<Countable, Usage>> | undefined
  let waitingBytes = 0
  return {
    async estimate(countable) {
      const bytes = countable.request.length + countable.answer.length
      if (waitingBytes + bytes > mostWaitingBytes) return bySize(countable)
      waitingBytes += bytes
      try {
        pool ??= openPool()
        return await (await pool).run(countable)
      } catch (error) {
        onError(error)
        return bySize(countable)
      } finally {
        waitingBytes -= bytes
      }
    },
    hurry: async () => (await pool)?.destroy(),
    close: async () => (await pool)?.close()
  }
}

/** Most gateways never need it. */
async function openPool(): Promise<Piscina<Countable, Usage>> {
  const { Piscina } = await import('piscina')
  return new Piscina({
    filename: new URL('./estimate-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
    maxQueue: mostWaiting
  })
}

function bySize({ request, answer, share }: Countable): Usage {
  return {
    promptTokens: Math.ceil(request.length / usualBytesPerToken),
    cachedTokens: 0,
    completionTokens: Math.ceil(answer.length / usualBytesPerToken / share),
    reasoningTokens: 0,
    estimated: true
  }
}
