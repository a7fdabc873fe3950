import { randomUUID } from 'node:crypto'
import { RedisAwayError, type RedisLink, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { addServed, hourOf, maxReportRows, type ServedReport, type ServedRows } from '@tollgate/state/served/served.ts'
import { addRow, type ServedRow } from '@tollgate/state/served/served-row.ts'

const defaultIntervalMs = 60_000
/** Nobody reads older hours. */
const keptHours = 24

/** Reports to Redis once a minute what this gateway measured of each model. */
export interface ServedReporter {
  start(): void
  /** Reports now, if Redis is ready. Never rejects. */
  report(): Promise<void>
  /** Stops, and sends the last report. Never rejects. */
  stop(): Promise<void>
}

export interface ServedReporterOptions {
  redis: RedisLink
  /** Returns what was measured since its last call. */
  servedSince: () => ServedRows
  /**
   * Called once per outage when Redis rejects reports, but not while Redis is unreachable: that is reported elsewhere
   */
  onError: (error: Error) => void
  /** ms since the epoch */
  now?: () => number
  intervalMs?: number
}

/**
 * What Redis has not acknowledged is sent again: the very same report, because Redis may have added it and recognizes
 * it by its number. Meanwhile, what is measured gathers for later reports.
 */
export function createServedReporter({
  redis,
  servedSince,
  onError,
  now = Date.now,
  intervalMs = defaultIntervalMs
}: ServedReporterOptions): ServedReporter {
  const reporter = randomUUID()
  /** By hour, the oldest first. */
  const gathered = new Map<number, Map<string, ServedRow>>()
  let unacknowledged: ServedReport | null = null
  let sequence = 0
  let reporting: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isFailing = false

  function gather(): void {
    const hour = hourOf(now())
    const rows = gathered.get(hour) ?? new Map<string, ServedRow>()
    for (const [model, row] of servedSince()) {
      const sum = rows.get(model)
      if (sum === undefined) rows.set(model, row)
      else addRow(sum, row)
    }
    if (rows.size > 0) gathered.set(hour, rows)
    for (const old of gathered.keys()) if (old <= hour - keptHours) gathered.delete(old)
  }

  /** Takes the next report from what has gathered; null if nothing has. */
  function nextReport(): ServedReport | null {
    const [oldest] = gathered
    if (oldest === undefined) return null
    const [hour, all] = oldest
    const rows = new Map([...all].slice(0, maxReportRows))
    for (const model of rows.keys()) all.delete(model)
    if (all.size === 0) gathered.delete(hour)
    return { hour, reporter, sequence: ++sequence, rows }
  }

  async function send(): Promise<void> {
    gather()
    if (!redis.isReady()) return
    try {
      unacknowledged ??= nextReport()
      while (unacknowledged !== null) {
        await addServed(redis, unacknowledged)
        unacknowledged = nextReport()
      }
      isFailing = false
    } catch (error) {
      if (error instanceof RedisAwayError || isFailing) return
      isFailing = true
      onError(withoutCommand(error as Error))
    }
  }

  function report(): Promise<void> {
    reporting ??= send().finally(() => {
      reporting = null
    })
    return reporting
  }

  return {
    start() {
      timer ??= setInterval(report, intervalMs).unref()
    },
    report,
    async stop() {
      clearInterval(timer)
      await reporting
      await report()
    }
  }
}
