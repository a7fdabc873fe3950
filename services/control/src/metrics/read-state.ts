import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import { readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'
import { droppedReceipts } from '@tollgate/state/receipts/receipts.ts'
import { sql } from 'drizzle-orm'
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
 * Reads it on one connection. Every count uses an index that has only the rows that wait. PostgreSQL ends statements that take
 * longer than two seconds, for instance because of a lock.
 *
 * @throws the error of PostgreSQL
 */
export function readDatabaseState(orm: Orm): Promise<DatabaseState> {
  return orm.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 2000`)
    const truth = await createPostgresSource(tx).readTruth()
    const [counted] = await queryRows<Record<DatabaseQueue, number>>(tx, countQueues)
    const webhookQueueAge = await readQueueAge(tx)
    return { truth, queues: counted!, webhookQueueAge, migrations: await countMigrations(tx) }
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
