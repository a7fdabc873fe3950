import { type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger } from 'fastify'
import { WakeableSleep } from './wakeable-sleep.ts'

export type CopyLoopOptions = {
  redis: RedisLink
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds from the start of a round to the start of the next. */
  intervalMs: number
  /** One round. What it does not finish when the signal aborts is for the next time. */
  copy: (signal: AbortSignal) => Promise<void>
  /** What is logged when rounds begin to fail, and when they no longer do. */
  messages: { failing: string; recovered: string }
}

/** Copies again and again what gateways leave in Redis. Any number of replicas may run one. */
export type CopyLoop = {
  start(): void
  /** Ends the loop. Resolves when nothing of it runs any more. */
  stop(): Promise<void>
}

export function createCopyLoop({ redis, log, intervalMs, copy, messages }: CopyLoopOptions): CopyLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  let loop: Promise<void> | null = null
  const pause = new WakeableSleep()

  async function runLoop(): Promise<void> {
    let isFailing = false
    while (!signal.aborted) {
      // A Redis that is away, as at every start, is told of by its connection.
      if (!redis.isReady()) {
        void redis.ready().then(() => pause.wake())
        await sleep(null)
        continue
      }
      const startedAt = performance.now()
      try {
        await copy(signal)
        if (isFailing) log.info(messages.recovered)
        isFailing = false
      } catch (error) {
        const err = error instanceof Error ? withoutCommand(error) : error
        if (!isFailing && !signal.aborted) log.warn({ err }, messages.failing)
        isFailing = true
      }
      await sleep(Math.max(0, startedAt + intervalMs - performance.now()))
    }
  }

  /** @param ms null to sleep until woken */
  async function sleep(ms: number | null): Promise<void> {
    if (!signal.aborted) await pause.sleep(ms)
  }

  return {
    start() {
      loop ??= runLoop()
    },
    async stop() {
      stopping.abort()
      pause.wake()
      await loop
    }
  }
}
