import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { ProcessReport } from '@tollgate/contracts/records/process-report.ts'
import { RedisAwayError, type RedisLink, withoutCommand } from '../link/redis-link.ts'
import { noteProcess, removeProcess } from './heartbeat.ts'

/** Three reports may be lost before a process does not count as running. */
const defaultIntervalMs = 5000

/** What only the process itself knows. */
export type ProcessFacts = Omit<ProcessReport, 'id' | 'host' | 'startedAt'>

/** Reports to Redis that this process runs, and its state. */
export interface Heartbeat {
  /** Starts. The first report is sent as soon as Redis is ready. */
  start(): void
  /** Reports now, if Redis is ready. Never rejects. */
  beat(): Promise<void>
  /** Stops, and removes the entry of this process. Never rejects. */
  stop(): Promise<void>
}

/**
 * @param facts called for each report
 * @param onError called once per outage when Redis rejects reports, but not while Redis is unreachable: that is reported elsewhere
 */
export function createHeartbeat(
  redis: RedisLink,
  facts: () => ProcessFacts,
  onError: (error: Error) => void,
  intervalMs = defaultIntervalMs
): Heartbeat {
  const self = { id: randomUUID(), host: hostname(), startedAt: Date.now() }
  let timer: NodeJS.Timeout | undefined
  let beating: Promise<void> | null = null
  let isFailing = false
  let isStopped = false

  async function send(command: () => Promise<void>): Promise<void> {
    if (!redis.isReady()) return
    try {
      await command()
      isFailing = false
    } catch (error) {
      if (error instanceof RedisAwayError || isFailing) return
      isFailing = true
      onError(withoutCommand(error as Error))
    }
  }

  async function beat(): Promise<void> {
    if (isStopped) return
    beating ??= send(() => noteProcess(redis, { ...self, ...facts() })).finally(() => {
      beating = null
    })
    await beating
  }

  return {
    start() {
      void redis.ready().then(beat)
      timer = setInterval(beat, intervalMs)
    },
    beat,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await beating
      await send(() => removeProcess(redis, self.id))
    }
  }
}
