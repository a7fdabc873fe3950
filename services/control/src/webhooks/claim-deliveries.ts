import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { SharedTime } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { events } from '../database/schema/notices.ts'
import { webhookDeliveries, webhookEndpoints } from '../database/schema/webhooks.ts'
import { LeasedRows } from '../leased-rows/leased-rows.ts'

/**
 * Longer than a try may take, with its transactions. If a replica dies during a try, another one tries after this time.
 */
export const leaseMs = 60_000

/** Due deliveries of one endpoint that a replica sends at once. The rest follow when these have ended. */
const perEndpoint = 4
/** The same for an endpoint whose last try failed, until it takes one. */
const perFailingEndpoint = 1
/**
 * Deliveries of one account, or of the operators, that a replica sends at once. Above the maximum number of endpoints
 * of an account: so one that works gets its messages, although all the others hang.
 */
const perAccount = 24

type LeasedDeliveries = LeasedRows<typeof webhookDeliveries>

/** The deliveries, whose lease postpones when they are due. */
export const leasedDeliveries = (orm: Orm, time?: SharedTime): LeasedDeliveries =>
  new LeasedRows(orm, { table: webhookDeliveries, key: 'id', due: 'dueAt', lease: 'dueAt', leaseMs }, time)

export interface ClaimedDelivery {
  readonly delivery: typeof webhookDeliveries.$inferSelect
  readonly endpoint: typeof webhookEndpoints.$inferSelect
  readonly event: typeof events.$inferSelect
}

/** A call that is under way. */
export type CallUnderWay = Pick<ClaimedDelivery['endpoint'], 'id' | 'accountId' | 'isQuick'>

/**
 * Leases due deliveries, a few of each endpoint and of each account: a receiver that is slow or away, with thousands of
 * waiting deliveries, does not hold up others. Neither do many of them: accounts with the fewest calls under way come
 * first, and endpoints that are not known to be quick get half of the places at most: those that are new, slow, or
 * failing. Replicas skip what another one is leasing.
 *
 * It goes from endpoint to endpoint in the index of waiting deliveries, so its cost depends on how many endpoints have
 * any.
 *
 * @param underWay this replica's calls; their endpoints are left out
 * @param max the maximum number of calls under way
 */
export async function claimDeliveries(
  orm: Orm,
  deliveries: LeasedDeliveries,
  { underWay, max }: { underWay: readonly CallUnderWay[]; max: number }
): Promise<ClaimedDelivery[]> {
  const claimed = await deliveries.claim(max - underWay.length, {
    where: isFair(deliveries.now(), { underWay, max })
  })
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

/** The condition that a delivery is one of those to be sent next. */
function isFair(now: SQL, { underWay, max }: { underWay: readonly CallUnderWay[]; max: number }): SQL {
  const calls = underWay.map(({ id, accountId }) => ({ endpoint: id, account: accountId }))
  const freeForOthers = Math.floor(max / 2) - underWay.filter(({ isQuick }) => !isQuick).length
  return sql`${webhookDeliveries.id} in (
      with recursive waiting as (
        (select endpoint_id from ${webhookDeliveries} where due_at is not null order by endpoint_id limit 1)
        union all
        select (
          select next.endpoint_id from ${webhookDeliveries} next
          where next.due_at is not null and next.endpoint_id > waiting.endpoint_id
          order by next.endpoint_id limit 1
        ) from waiting where waiting.endpoint_id is not null
      ), calls as (
        select endpoint, account from json_to_recordset(${JSON.stringify(calls)}::text::json) as calls (endpoint uuid, account uuid)
      ), idle as (
        select id, account_id, is_quick, failing_since is not null as is_failing,
          (select count(*) from calls where calls.account is not distinct from endpoint.account_id) as taken
        from waiting join ${webhookEndpoints} endpoint on endpoint.id = waiting.endpoint_id
        where id not in (select endpoint from calls)
      ), found as (
        select first.id, first.due_at, is_quick,
          taken + row_number() over (partition by account_id order by first.nth, is_failing, first.due_at) as place
        from idle cross join lateral (
          select one.id, one.due_at, row_number() over (order by one.due_at) as nth
          from ${webhookDeliveries} one
          where one.endpoint_id = idle.id and one.due_at <= ${now}
          order by one.due_at limit case when is_failing then ${perFailingEndpoint}::int else ${perEndpoint}::int end
        ) first
      ), fair as (
        select id, due_at, place, is_quick, row_number() over (partition by is_quick order by place, due_at) as nth
        from found where place <= ${perAccount}
      )
      select id from fair where is_quick or nth <= ${freeForOthers}
      order by place, due_at limit ${max - underWay.length}
    )`
}
