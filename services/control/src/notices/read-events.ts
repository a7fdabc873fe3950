import type { EventType } from '@tollgate/contracts/events/event-types.ts'
import type { EventNotice, EventsResponse } from '@tollgate/contracts/http/notices.ts'
import { and, desc, eq, isNull, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { events } from '../database/schema/events.ts'
import { seenEvents } from '../database/schema/notices.ts'
import { type EventPlace, writeCursor } from './event-cursor.ts'

/** The events that somebody sees: of an account, as its owner or with a seat, or of the operators. */
export interface Feed {
  /** null: the operators'. */
  readonly accountId: string | null
  readonly role: 'owner' | 'seat'
  readonly userId: string
}

/** Test events are no news, and only the owner pays. */
const hiddenForAll: EventType[] = ['webhook.test']
const hiddenForSeats: EventType[] = [...hiddenForAll, 'payment.failed', 'webhook.disabled']
/** Whoever did these knows them. They are listed, but not counted as unread. */
const routine: EventType[] = ['key.created', 'key.rotated']
const maxUnread = 100

const nameOf = ({ accountId }: Feed): string => accountId ?? 'operators'

function visibleIn({ accountId, role }: Feed): SQL | undefined {
  const isOfFeed = accountId === null ? isNull(events.accountId) : eq(events.accountId, accountId)
  return and(isOfFeed, notInArray(events.type, role === 'owner' ? hiddenForAll : hiddenForSeats))
}

const place = (at: Date, id: string) => sql`(${sql.param(at, events.at)}, ${id}::uuid)`

/** Reads a page of events, newest first. */
export async function readEvents(
  orm: Orm,
  feed: Feed,
  { before, limit }: { before: EventPlace | null; limit: number }
): Promise<EventsResponse> {
  const seen = await readSeen(orm, feed)
  const rows = await orm
    .select()
    .from(events)
    .where(
      and(
        visibleIn(feed),
        before === null ? undefined : sql`(${events.at}, ${events.id}) < ${place(before.at, before.id)}`
      )
    )
    .orderBy(desc(events.at), desc(events.id))
    .limit(limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const isSeen = (row: EventPlace) => seen !== null && compare(row, seen) <= 0
  return {
    events: page.map(({ id, type, at, data }) => ({
      ...{ id, type, at: at.toISOString(), data: data as EventNotice['data'], seen: isSeen({ at, id }) }
    })),
    unread: await countUnread(orm, feed, seen),
    has_more: rows.length > limit,
    next_cursor: rows.length > limit && last !== undefined ? writeCursor(last) : null
  }
}

/**
 * Marks an event and all earlier ones as seen. A mark never moves back.
 *
 * @returns how many are unread now; null if the feed has no such event
 */
export async function markSeen(orm: Orm, feed: Feed, eventId: string): Promise<number | null> {
  const [event] = await orm
    .select({ at: events.at, id: events.id })
    .from(events)
    .where(and(eq(events.id, eventId), visibleIn(feed)))
  if (event === undefined) return null
  await orm
    .insert(seenEvents)
    .values({ userId: feed.userId, feed: nameOf(feed), at: event.at, eventId: event.id })
    .onConflictDoUpdate({
      target: [seenEvents.userId, seenEvents.feed],
      set: { at: sql`excluded.at`, eventId: sql`excluded.event_id` },
      setWhere: sql`(${seenEvents.at}, ${seenEvents.eventId}) < (excluded.at, excluded.event_id)`
    })
  return countUnread(orm, feed, await readSeen(orm, feed))
}

async function readSeen(orm: Orm, feed: Feed): Promise<EventPlace | null> {
  const [seen] = await orm
    .select({ at: seenEvents.at, id: seenEvents.eventId })
    .from(seenEvents)
    .where(and(eq(seenEvents.userId, feed.userId), eq(seenEvents.feed, nameOf(feed))))
  return seen ?? null
}

/** At most {@link maxUnread}, so that the count stays cheap. */
async function countUnread(orm: Orm, feed: Feed, seen: EventPlace | null): Promise<number> {
  const unread = await orm
    .select({ id: events.id })
    .from(events)
    .where(
      and(
        visibleIn(feed),
        notInArray(events.type, routine),
        seen === null ? undefined : sql`(${events.at}, ${events.id}) > ${place(seen.at, seen.id)}`
      )
    )
    .limit(maxUnread)
  return unread.length
}

const compare = (one: EventPlace, other: EventPlace): number =>
  one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : Number(one.id > other.id))
