import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ListDeliveriesQuery, WebhookDelivery } from '@tollgate/contracts/http/webhooks.ts'
import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { events } from '../database/schema/notices.ts'
import { webhookAttempts, webhookDeliveries, webhookEndpoints } from '../database/schema/webhooks.ts'
import { isUuid, readCursor, writeCursor } from '../http/query.ts'
import { messageOf } from './send-message.ts'

const defaultLimit = 50
const maxAttempts = 20
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * A page of an endpoint's deliveries, newest first.
 *
 * @throws ServiceError `invalid_request` for a cursor of another list
 */
export async function listDeliveries(
  orm: Orm,
  endpointId: string,
  query: ListDeliveriesQuery
): Promise<{ deliveries: WebhookDelivery[]; next_cursor: string | null }> {
  const before = query.cursor === undefined ? null : readCursor(query.cursor, (id) => uuid.test(id))
  if (query.cursor !== undefined && before === null) {
    throw new ServiceError('invalid_request', {
      message: 'cursor: not valid for this list. Use next_cursor of the previous page.'
    })
  }
  const limit = query.limit === undefined ? defaultLimit : Number(query.limit)
  const { createdAt, id } = webhookDeliveries
  const rows = await select(orm)
    .where(
      and(
        eq(webhookDeliveries.endpointId, endpointId),
        query.status === undefined ? undefined : eq(webhookDeliveries.status, query.status),
        before === null
          ? undefined
          : sql`(${createdAt}, ${id}) < (${sql.param(before.at, createdAt)}, ${before.id}::uuid)`
      )
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    deliveries: await withAttempts(orm, page),
    next_cursor:
      rows.length > limit && last !== undefined ? writeCursor(last.delivery.createdAt, last.delivery.id) : null
  }
}

/** @throws ServiceError `not_found` */
export async function readDelivery(orm: Orm, endpointId: string, id: string): Promise<WebhookDelivery> {
  const rows = await select(orm).where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.endpointId, endpointId)))
  const [delivery] = await withAttempts(orm, rows)
  if (delivery === undefined) throw new ServiceError('not_found')
  return delivery
}

const select = (orm: Orm) =>
  orm
    .select({ delivery: webhookDeliveries, event: events })
    .from(webhookDeliveries)
    .innerJoin(events, eq(events.id, webhookDeliveries.eventId))

type Row = Awaited<ReturnType<typeof select>>[number]
type AttemptRow = typeof webhookAttempts.$inferSelect

async function withAttempts(orm: Orm, rows: readonly Row[]): Promise<WebhookDelivery[]> {
  const byDelivery = await readAttempts(
    orm,
    rows.map(({ delivery }) => delivery.id)
  )
  return rows.map(({ delivery, event }) => ({
    id: delivery.id,
    message_id: event.id,
    type: event.type,
    status: delivery.status,
    created: delivery.createdAt.toISOString(),
    next_try: delivery.dueAt?.toISOString() ?? null,
    message: messageOf(event),
    attempts: (byDelivery.get(delivery.id) ?? []).map(toAttempt)
  }))
}

/** The last attempts of each delivery, newest first. */
async function readAttempts(orm: Orm, deliveries: string[]): Promise<Map<string, AttemptRow[]>> {
  if (deliveries.length === 0) return new Map()
  const newest = sql`${webhookAttempts.id} in (
    select id from ${webhookAttempts} one where one.delivery_id = ${webhookAttempts.deliveryId}
    order by one.id desc limit ${maxAttempts}
  )`
  const rows = await orm
    .select()
    .from(webhookAttempts)
    .where(and(inArray(webhookAttempts.deliveryId, deliveries), newest))
    .orderBy(desc(webhookAttempts.id))
  return Map.groupBy(rows, ({ deliveryId }) => deliveryId)
}

const toAttempt = ({ at, durationMs, status, error }: AttemptRow) => ({
  at: at.toISOString(),
  duration_ms: durationMs,
  status,
  error
})

/** Makes a delivery due now, once and beside its schedule. @throws ServiceError `not_found` */
export async function redeliver(orm: Orm, endpointId: string, id: string, now: Date): Promise<void> {
  if (!isUuid(id)) throw new ServiceError('not_found')
  const rows = await orm
    .update(webhookDeliveries)
    .set({
      status: 'pending',
      // Not later if this replica's clock is ahead.
      dueAt: sql`least(${now.toISOString()}::timestamptz, clock_timestamp())`,
      // One that still has tries keeps them.
      isSingle: sql`${webhookDeliveries.isSingle} or ${webhookDeliveries.status} <> 'pending'`
    })
    .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.endpointId, endpointId)))
    .returning({ id: webhookDeliveries.id })
  if (rows.length === 0) throw new ServiceError('not_found')
}

/**
 * Seconds that the longest waiting delivery is late; 0 if none is. Endpoints whose last try failed are left out: they
 * are slow by their own fault. It goes from endpoint to endpoint in the index of waiting deliveries, so a backlog does
 * not make it slow.
 */
export async function readQueueAge(orm: Orm): Promise<number> {
  const [row] = await queryRows<{ seconds: number }>(
    orm,
    sql`
      with recursive waiting as (
        (
          select endpoint_id, due_at from ${webhookDeliveries} where due_at is not null
          order by endpoint_id, due_at limit 1
        )
        union all
        select next.endpoint_id, next.due_at from waiting cross join lateral (
          select one.endpoint_id, one.due_at from ${webhookDeliveries} one
          where one.due_at is not null and one.endpoint_id > waiting.endpoint_id
          order by one.endpoint_id, one.due_at limit 1
        ) next
      )
      select greatest(0, coalesce(extract(epoch from now() - min(waiting.due_at)), 0))::float8 as seconds
      from waiting join ${webhookEndpoints} on ${webhookEndpoints.id} = waiting.endpoint_id
      where ${webhookEndpoints.failingSince} is null`
  )
  return row?.seconds ?? 0
}
