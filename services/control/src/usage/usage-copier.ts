import { type RedisLink, withoutCommand } from '@tollgate/contracts/redis/redis-link.ts'
import type { FastifyBaseLogger } from 'fastify'
import { WakeableSleep } from '../wakeable-sleep.ts'
import { copyRound } from './copy-round.ts'
import type { Ledger } from './ledger.ts'

export type UsageCopierOptions = {
  ledger: Ledger
  redis: RedisLink
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds from the start of a round to the start of the next. Reports are at most 5 s behind. */
  intervalMs?: number
}

/** Copies usage from Redis, where gateways count it, to the ledger. Any number of replicas may run one. */
export type UsageCopier = {
  start(): void
  /** Ends the loop. Resolves when nothing of it runs any more. */
  stop(): Promise<void>
}

/** A hash that cannot be read stays so: of more than these, only the first are told of. */
const mostTold = 100

export function createUsageCopier({ ledger, redis, log, intervalMs = 1000 }: UsageCopierOptions): UsageCopier {
  const stopping = new AbortController()
  const { signal } = stopping
  let loop: Promise<void> | null = null
  const pause = new WakeableSleep()
  const told = new Set<string>()

  const options = {
    signal,
    onMalformed(name: string, reason: string) {
      if (told.has(name) || told.size === mostTold) return
      told.add(name)
      log.warn({ name, reason }, 'usage in Redis cannot be read, and is left there')
    }
  }

  async function runLoop(): Promise<void> {
    let isFailing = false
    let finalUpTo = 0
    while (!signal.aborted) {
      // A Redis that is away, as at every start, is told of by its connection.
      if (!redis.isReady()) {
        void redis.ready().then(() => pause.wake())
        await sleep(null)
        continue
      }
      const startedAt = performance.now()
      try {
        finalUpTo = await copyRound(ledger, redis, finalUpTo, options)
        if (isFailing) log.info('usage is copied again')
        isFailing = false
      } catch (error) {
        const err = error instanceof Error ? withoutCommand(error) : error
        if (!isFailing && !signal.aborted) log.warn({ err }, 'usage is not copied')
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
