import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Announcement } from '@tollgate/contracts/http/status.ts'
import { and, desc, eq, gt, isNull, lte, or } from 'drizzle-orm'
import type { Orm, Transaction } from '../database/connect.ts'
import { announcements } from '../database/schema/announcements.ts'
import { isUuid } from '../http/query.ts'
import { shownDays } from './served-days.ts'

export type StoredAnnouncement = typeof announcements.$inferSelect

/** How long everybody sees a past announcement: as long as measured days. */
const pastMs = shownDays * 86_400_000
/** How early everybody sees a planned maintenance. */
const plannedMs = 7 * 86_400_000
const maxShown = 100
const maxListed = 100

/**
 * Reads what everybody may see, newest first: announcements that are present, that ended within the last 90 days, and
 * maintenance that begins within 7 days. Other announcements are hidden until they start. If there are too many, present
 * ones are kept.
 */
export async function readShown(orm: Orm, now: Date): Promise<Announcement[]> {
  const [since, until] = [new Date(now.getTime() - pastMs), new Date(now.getTime() + plannedMs)]
  const { startsAt, endsAt, level } = announcements
  const hasStarted = lte(startsAt, now)
  const isPlanned = and(lte(startsAt, until), eq(level, 'maintenance'))
  const rows = await orm
    .select()
    .from(announcements)
    .where(and(or(hasStarted, isPlanned), or(isNull(endsAt), gt(endsAt, since))))
    .orderBy(desc(and(hasStarted, or(isNull(endsAt), gt(endsAt, now)))!), desc(startsAt), desc(announcements.id))
    .limit(maxShown)
  const newestFirst = rows.toSorted((one, other) => other.startsAt.getTime() - one.startsAt.getTime())
  return newestFirst.map((row) => toAnnouncement(row, now))
}

/** Reads the latest announcements, for operators. */
export async function listAnnouncements(orm: Orm, now: Date): Promise<Announcement[]> {
  const rows = await orm
    .select()
    .from(announcements)
    .orderBy(desc(announcements.startsAt), desc(announcements.id))
    .limit(maxListed)
  return rows.map((row) => toAnnouncement(row, now))
}

/** Locks an announcement. @param id any text of the caller @throws ServiceError `not_found` */
export async function lockAnnouncement(tx: Transaction, id: string): Promise<StoredAnnouncement> {
  const own = id.toLowerCase()
  const [row] = isUuid(own) ? await tx.select().from(announcements).where(eq(announcements.id, own)).for('update') : []
  if (row === undefined) throw new ServiceError('not_found', { message: 'There is no announcement with this id.' })
  return row
}

/** As everybody sees it. */
export const toAnnouncement = (
  { id, level, title, text, startsAt, endsAt }: StoredAnnouncement,
  now: Date
): Announcement => ({
  id,
  level,
  title,
  text,
  starts_at: startsAt.toISOString(),
  ends_at: endsAt?.toISOString() ?? null,
  is_present: startsAt <= now && (endsAt === null || endsAt > now)
})
