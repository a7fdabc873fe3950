import { eq, inArray, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { events } from '../database/schema/events.ts'
import { webhookDeliveries, webhookEndpoints } from '../database/schema/webhooks.ts'

/** Longer than a try may take, with its transactions. If a replica dies during a try, another one tries after this time. */
export const leaseMs = 60_000

/** Due deliveries of one endpoint that a replica sends at once. The rest follow when these have ended. */
const perEndpoint = 4

export interface ClaimedDelivery {
  readonly delivery: typeof webhookDeliveries.$inferSelect
  readonly endpoint: typeof webhookEndpoints.$inferSelect
  readonly event: typeof events.$inferSelect
}

/**
 * Leases due deliveries, the longest waiting first, a few of each endpoint: a receiver that is slow or away, with thousands of
 * waiting deliveries, does not hold up others. Replicas skip what another one is leasing.
 *
 * It goes from endpoint to endpoint in the index of waiting deliveries, so its cost depends on how many endpoints have any.
 *
 * @param busy endpoints to leave out
 * @param max the maximum number of deliveries
 */
export async function claimDeliveries(
  orm: Orm,
  { now, busy, max }: { now: Date; busy: readonly string[]; max: number }
): Promise<ClaimedDelivery[]> {
  const at = now.toISOString()
  const until = new Date(now.getTime() + leaseMs)
  const busyIds = sql.join(
    busy.map((id) => sql`${id}::uuid`),
    sql`, `
  )
  const claimed = await queryRows<{ id: string }>(
    orm,
    sql`
      with recursive waiting as (
        (select endpoint_id from ${webhookDeliveries} where due_at is not null order by endpoint_id limit 1)
        union all
        select (
          select next.endpoint_id from ${webhookDeliveries} next
          where next.due_at is not null and next.endpoint_id > waiting.endpoint_id
          order by next.endpoint_id limit 1
        ) from waiting where waiting.endpoint_id is not null
      ), due as (
        select first.id from waiting cross join lateral (
          select id, due_at from ${webhookDeliveries} one
          where one.endpoint_id = waiting.endpoint_id and one.due_at <= ${at}::timestamptz
          order by one.due_at limit ${perEndpoint}
        ) first
        where ${busy.length === 0 ? sql`true` : sql`waiting.endpoint_id not in (${busyIds})`}
        order by first.due_at limit ${max}
      )
      update ${webhookDeliveries} set due_at = ${until.toISOString()}::timestamptz
      where id in (
        select id from ${webhookDeliveries}
        where id in (select id from due) and due_at <= ${at}::timestamptz
        for update skip locked
      )
      returning id::text as id`
  )
  if (claimed.length === 0) return []
  const ids = claimed.map(({ id }) => id)
  return await orm
    .select({ delivery: webhookDeliveries, endpoint: webhookEndpoints, event: events })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .innerJoin(events, eq(events.id, webhookDeliveries.eventId))
    .where(inArray(webhookDeliveries.id, ids))
    .orderBy(events.at, webhookDeliveries.id)
}
