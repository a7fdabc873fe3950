import type { Announcement, ServiceState, StatusResponse } from '@tollgate/contracts/http/status.ts'
import type { FastifyBaseLogger } from 'fastify'
import { keepLastAnswer } from '../background/keep-last-answer.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { readShown } from './announcements.ts'
import type { StatusReader } from './status-reader.ts'

/** All callers share a reading of announcements so long, ms. */
const keptMs = 5000

/** What everybody may know about the service: for `GET /api/status`, and for pages. */
export interface ServiceStatus {
  /**
   * Reads it. Cheap: all callers share what was read in the last minute, announcements in the last 5 seconds. Without
   * Redis, what is measured is unknown. Without PostgreSQL, the announcements are those that were read last.
   */
  read(): Promise<StatusResponse>
}

export interface ServiceStatusOptions {
  orm: Orm
  reader: StatusReader
  clock: Clock
  log: Pick<FastifyBaseLogger, 'warn'>
}

export function createServiceStatus({ orm, reader, clock, log }: ServiceStatusOptions): ServiceStatus {
  const readAnnouncements = keepLastAnswer<Announcement[], [Date]>(
    [],
    (now) => readShown(orm, now),
    (err) => log.warn({ err }, 'the announcements could not be read; the status has those that were read last')
  )
  let reading: Promise<Announcement[]> | null = null
  let readAt = 0

  function announcements(now: Date): Promise<Announcement[]> {
    const age = now.getTime() - readAt
    if (reading === null || age < 0 || age >= keptMs) {
      readAt = now.getTime()
      reading = readAnnouncements(now)
    }
    return reading
  }

  return {
    async read() {
      const now = clock()
      const [shown, { state, gateway, history, providers, models }] = await Promise.all([
        announcements(now),
        reader.read()
      ])
      return {
        now: now.toISOString(),
        state: lowered(state, shown),
        gateway,
        history,
        announcements: shown,
        providers: [...providers],
        models: [...models]
      }
    }
  }
}

/** The measured state, lowered by what operators announce. */
export function lowered(measured: ServiceState, announcements: readonly Announcement[]): ServiceState {
  const levels = new Set(announcements.filter((one) => one.is_present).map(({ level }) => level))
  if (measured === 'down' || levels.has('outage')) return 'down'
  return levels.has('degraded') || levels.has('maintenance') ? 'degraded' : measured
}
