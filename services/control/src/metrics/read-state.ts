import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import { readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'
import { droppedReceipts } from '@tollgate/state/receipts/receipts.ts'
import { sql } from 'drizzle-orm'
import { withTimeout } from '../background/with-timeout.ts'
import { type Orm, queryRows } from '../database/connect.ts'
import { countMigrations } from '../database/migrate.ts'
import { customers } from '../database/schema/billing.ts'
import { mails } from '../database/schema/mails.ts'
import { planWrites, users } from '../database/schema/users.ts'
import { webhookDeliveries } from '../database/schema/webhooks.ts'
import { createPostgresSource } from '../projection/postgres-source.ts'
import type { FoundInRedis } from '../projection/projection-lag.ts'
import type { Truth } from '../projection/source.ts'
import { readQueueAge } from '../webhooks/read-deliveries.ts'

/** The queues in PostgreSQL, with what waits in each. */
const queues = {
  due_users: sql`select count(*) from ${users} where ${users.dueAt} is not null`,
  due_customers: sql`select count(*) from ${customers} where ${customers.dueAt} is not null`,
  plan_writes: sql`select count(*) from ${planWrites} where ${planWrites.pending}`,
  webhooks: sql`select count(*) from ${webhookDeliveries} where ${webhookDeliveries.dueAt} <= now()`,
  mails: sql`select count(*) from ${mails} where ${mails.endedAt} is null`,
  user_deletions: sql`select count(*) from ${users} where ${users.deletionStartedAt} is not null and ${users.deletedAt} is null`
} as const
export type DatabaseQueue = keyof typeof queues

/** What metrics show of PostgreSQL. */
export interface DatabaseState {
  readonly truth: Truth
  readonly queues: Readonly<Record<DatabaseQueue, number>>
  /** Seconds that the longest waiting webhook is late; 0 if none is. Without endpoints whose last try failed. */
  readonly webhookQueueAge: number
  readonly migrations: { readonly applied: number; readonly pending: number }
}

/**
 * Reads it on one connection. Every count uses an index that has only the rows that wait. PostgreSQL ends statements
 * that take longer than two seconds, for instance because of a lock.
 *
 * @throws the error of PostgreSQL
 */
export function readDatabaseState(orm: Orm): Promise<DatabaseState> {
  return orm.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 2000`)
    const truth = await createPostgresSource(tx).readTruth()
    const [counts] = await queryRows<Record<DatabaseQueue, number>>(tx, countQueues)
    const webhookQueueAge = await readQueueAge(tx)
    return { truth, queues: counts!, webhookQueueAge, migrations: await countMigrations(tx) }
  })
}

const countQueues = sql`select ${sql.join(
  Object.entries(queues).map(([name, count]) => sql`(${count})::int as ${sql.identifier(name)}`),
  sql`, `
)}`

/** What metrics show of Redis. `isWhole`: every process answered. */
export interface RedisState extends FoundInRedis {
  readonly isWhole: boolean
  /** Receipts that Redis dropped; undefined if a process did not answer. */
  readonly droppedReceipts: number | undefined
}

/** Asks every Redis process. @throws Error if none is ready */
export async function readRedisState(redis: RedisLink): Promise<RedisState> {
  if (!redis.isReady()) throw new Error('no Redis process is ready')
  const [{ markers, failures }, catalog, dropped] = await Promise.all([
    readShards(redis),
    readCatalogVersion(redis).catch(() => undefined),
    droppedReceipts(redis).catch(() => undefined)
  ])
  return { markers, catalog, isWhole: failures.length === 0, droppedReceipts: dropped }
}

/** How long an answer of a server is used again, ms: several scrapers must not multiply the queries. */
const maxAgeMs = 3000
/** How long a scrape waits for a server, ms. A scraper gives up after ten seconds. */
const timeoutMs = 2000
/** How long a question may stay without an answer before another is asked, ms. */
const patienceMs = 30_000

/**
 * Limits how often and how long a server is asked for values of metrics.
 *
 * While a question has no answer, no other is asked: a slow server must not get more and more work. After half a
 * minute, the next scrape asks again: the answer was lost with its connection.
 *
 * @param ask asks the server
 * @returns a function that returns the last answer, or null if the last question failed or has no answer in time. Never
 * rejects
 */
export function createLimitedReader<Answer>(
  ask: () => Promise<Answer>,
  { now = () => performance.now() }: { now?: () => number } = {}
): () => Promise<Answer | null> {
  let asking: { readonly since: number; readonly answer: Promise<Answer | null> } | null = null
  let last: { readonly at: number; readonly answer: Answer | null } | null = null

  function start() {
    const answer = ask().catch(() => null)
    const question = { since: now(), answer }
    void answer.then((value) => {
      // Not the late answer to a question that was given up.
      if (asking !== question) return
      asking = null
      last = { at: now(), answer: value }
    })
    asking = question
    return question
  }

  return async () => {
    if (asking === null && last !== null && now() - last.at < maxAgeMs) return last.answer
    const isLost = asking !== null && now() - asking.since > patienceMs
    const { since, answer } = asking === null || isLost ? start() : asking
    const leftMs = timeoutMs - (now() - since)
    return leftMs <= 0 ? null : withTimeout(leftMs, answer).catch(() => null)
  }
}
