import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { EventType } from '@tollgate/contracts/events/event-types.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  type EventNotice,
  EventsQuery,
  EventsResponse,
  SeenEventsRequest,
  SeenEventsResponse
} from '@tollgate/contracts/http/notices.ts'
import { and, desc, eq, isNull, notInArray, type SQL, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { callerOf } from '../callers/session.ts'
import type { Database, Orm } from '../database/connect.ts'
import { events, seenEvents } from '../database/schema/notices.ts'
import * as cursor from '../http/query.ts'
import type { TypedApp } from '../http/typed-app.ts'

/** `/api/events`: what happened in the caller's account, for the bell of the dashboard. */
export async function eventRoutes(instance: FastifyInstance, { database }: { database: Database }): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  addFeed(app, database, {
    path: '',
    onRequest: app.requireSession,
    list: {
      operationId: 'listEvents',
      summary: 'List what happened in the account, newest first',
      description:
        'The types and their `data` are those of webhooks. Somebody with a seat does not see failed payments and disabled webhook endpoints.'
    },
    operationOfSeen: 'markEventsSeen',
    feedOf(request) {
      const { accountId, role, user } = callerOf(request)
      return { accountId, role, userId: user.id }
    }
  })
}

/** `/events` of operators: what concerns the whole system. */
export function operatorEventRoutes(app: TypedApp, { database }: { database: Database }): void {
  addFeed(app, database, {
    path: '/events',
    onRequest: app.requireOperator,
    list: {
      operationId: 'listOperatorEvents',
      summary: 'List what happened in the whole system, newest first',
      description:
        'Failing providers, requests that failed over, accounts with unusual spend. Kept for `EVENTS_KEPT_DAYS`.'
    },
    operationOfSeen: 'markOperatorEventsSeen',
    feedOf: (request) => ({ accountId: null, role: 'owner', userId: callerOf(request).user.id })
  })
}

/** The same two routes are there for accounts and for operators. */
interface FeedRoutes {
  /** Empty for the root of the instance. */
  readonly path: string
  readonly onRequest: (request: FastifyRequest) => Promise<void>
  readonly list: Pick<FastifySchema, 'operationId' | 'summary' | 'description'>
  readonly operationOfSeen: string
  readonly feedOf: (request: FastifyRequest) => Feed
}

function addFeed(app: TypedApp, { orm }: Database, routes: FeedRoutes): void {
  const { path, onRequest, list, operationOfSeen, feedOf } = routes
  app.get(
    path === '' ? '/' : path,
    { onRequest, schema: { ...list, querystring: EventsQuery, response: answers({ 200: EventsResponse }) } },
    async (request) => readEvents(orm, feedOf(request), readPage(request.query))
  )
  app.post(
    `${path}/seen`,
    {
      onRequest,
      schema: {
        operationId: operationOfSeen,
        summary: 'Mark an event and all earlier ones as seen',
        description: 'For the caller alone. Safe to repeat; a mark never moves back.',
        errors: ['not_found'],
        body: SeenEventsRequest,
        response: answers({ 200: SeenEventsResponse })
      }
    },
    async (request) => {
      const unread = await markSeen(orm, feedOf(request), request.body.id.toLowerCase())
      if (unread === null) throw new ServiceError('not_found')
      return { unread }
    }
  )
}

/** A place among events, newest first. The next page starts after this event. */
interface EventPlace {
  readonly at: Date
  readonly id: string
}

const defaultLimit = 50
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const writeCursor = ({ at, id }: EventPlace): string => cursor.writeCursor(at, id)

/** @throws ServiceError `invalid_request` for a cursor that {@link writeCursor} did not write */
function readPage(query: { limit?: string; cursor?: string }): { before: EventPlace | null; limit: number } {
  const before = query.cursor === undefined ? null : cursor.readCursor(query.cursor, (id) => uuid.test(id))
  if (query.cursor !== undefined && before === null) {
    throw new ServiceError('invalid_request', {
      message: 'cursor: not valid for this list. Use next_cursor of the previous page.'
    })
  }
  return { before, limit: query.limit === undefined ? defaultLimit : Number(query.limit) }
}

/** The events that somebody sees: of an account, as its owner or with a seat, or of the operators. */
interface Feed {
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

function visibleIn({ accountId, role, userId }: Feed): SQL | undefined {
  const isOfFeed = accountId === null ? isNull(events.accountId) : eq(events.accountId, accountId)
  if (role === 'owner') return and(isOfFeed, notInArray(events.type, hiddenForAll))
  // Other members see their own budgets alone, as in the list of budgets.
  const isOfOther = sql`${events.type} in ('budget.window_threshold', 'budget.window_forecast') and ${events.data} ->> 'member_id' <> ${userId}`
  return and(isOfFeed, notInArray(events.type, hiddenForSeats), sql`(${isOfOther}) is not true`)
}

const place = (at: Date, id: string) => sql`(${sql.param(at, events.at)}, ${id}::uuid)`

/** Reads a page of events, newest first. */
async function readEvents(
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
      id,
      type,
      at: at.toISOString(),
      data: data as EventNotice['data'],
      seen: isSeen({ at, id })
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
async function markSeen(orm: Orm, feed: Feed, eventId: string): Promise<number | null> {
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
