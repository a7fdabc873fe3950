import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger } from 'fastify'
import { type CopyLoop, createCopyLoop } from '../copy-loop.ts'
import { copyRound } from './copy-round.ts'
import type { Ledger } from './ledger.ts'

export type UsageCopierOptions = {
  ledger: Ledger
  redis: RedisLink
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  /** Milliseconds from the start of a round to the start of the next. Reports are at most 5 s behind. */
  intervalMs?: number
  /** Called after all usage in Redis was copied: each hour until it returns that it is done. Copying waits for it. */
  tidy?: (signal: AbortSignal) => Promise<boolean>
}

/** A row that cannot be read stays so: of more than these, only the first are told of. */
const mostTold = 100

/** Copies usage from Redis, where gateways count it, to the ledger. */
export function createUsageCopier({ ledger, redis, log, intervalMs = 1000, tidy }: UsageCopierOptions): CopyLoop {
  const told = new Set<string>()
  let finalUpTo = 0
  let tidiedAt = 0

  function onMalformed(name: string, reason: string): void {
    if (told.has(name) || told.size === mostTold) return
    told.add(name)
    log.warn({ name, reason }, 'usage in Redis cannot be read, and is left there')
  }

  return createCopyLoop({
    redis,
    log,
    intervalMs,
    async copy(signal) {
      finalUpTo = await copyRound(ledger, redis, finalUpTo, { signal, onMalformed })
      if (tidy === undefined || tidiedAt === finalUpTo) return
      try {
        if (await tidy(signal)) tidiedAt = finalUpTo
      } catch (err) {
        tidiedAt = finalUpTo
        if (!signal.aborted) log.warn({ err }, 'the ledger could not be tidied: it is tried again in an hour')
      }
    },
    messages: { failing: 'usage is not copied', recovered: 'usage is copied again' }
  })
}
