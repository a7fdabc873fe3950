import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import postgres, { type Sql } from 'postgres'
import type { Bench } from '../bench.ts'
import { type Child, isRunning } from '../processes/children.ts'
import { explainableSettings, prepareToExplain } from './plans.ts'

const main = fileURLToPath(import.meta.resolve('@tollgate/control/main.ts'))
const startTimeoutMs = 60_000
const poolSize = 10

/** Control, with its own PostgreSQL and Redis. */
export interface RunningControl {
  port: number
  child: Child
  /** URLs of its servers. */
  databaseUrl: string
  redisUrl: string
  /** The bench's own connection, as superuser. */
  sql: Sql
  /** The process ids of control's connections in the PostgreSQL server. */
  backends(): Promise<Record<string, number>>
  stop(): Promise<void>
}

/**
 * Starts the service as operators run it, on an empty database. Its identity provider and payment provider do not exist,
 * because the measured requests do not call them.
 *
 * @param settings more settings of PostgreSQL
 * @throws if PostgreSQL is not installed
 */
export async function startControl(
  bench: Bench,
  settings: Readonly<Record<string, string>> = {}
): Promise<RunningControl> {
  const postgresServer = await startPostgres({ settings: { ...explainableSettings, ...settings } })
  if (postgresServer === null) throw new Error('this part needs PostgreSQL')
  bench.children.alsoStop(() => postgresServer.stop())
  const redis = await startRedis({ port: 0 })
  bench.children.alsoStop(() => redis.stop())
  const sql = postgres(postgresServer.url, { max: 1, onnotice: () => {} })
  await prepareToExplain(sql)
  const [port, adminPort] = [await freePort(), await freePort()]
  const child = bench.startMeasured('control', main, {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    CONTROL_PORT: String(port),
    CONTROL_ADMIN_PORT: String(adminPort),
    PUBLIC_URL: `http://localhost:${port}`,
    SUPABASE_URL: 'http://127.0.0.1:1',
    SUPABASE_ANON_KEY: 'none',
    SUPABASE_SERVICE_ROLE_KEY: 'none',
    STRIPE_SECRET_KEY: 'none',
    STRIPE_WEBHOOK_SECRET: 'whsec_none_at_all_here',
    STRIPE_API_BASE: 'http://127.0.0.1:1',
    DATABASE_URL: `${postgresServer.url}?application_name=control`,
    DATABASE_POOL_SIZE: String(poolSize),
    REDIS_URL: redis.url,
    RECONCILE_INTERVAL: '604800',
    LOG_LEVEL: 'info'
  })
  try {
    await untilReady(child, adminPort)
    await untilProjected(redis.url)
  } catch (error) {
    await bench.children.stop(child)
    throw error
  }
  // Marks the comparisons of users and subscriptions with the providers, and the copy of invoices, as finished.
  for (const table of ['sweeps', 'billing_sweeps', 'invoice_sweeps']) {
    await sql`
      insert into ${sql(table)} (started_at, finished_at, lease_ends_at) values (now(), now(), now())
      on conflict (one) do update set finished_at = now(), page = null`
  }
  return {
    port,
    child,
    databaseUrl: postgresServer.url,
    redisUrl: redis.url,
    sql,
    async backends() {
      const rows = await sql<Array<{ pid: number }>>`
        select pid from pg_stat_activity where application_name = 'control' order by pid`
      return Object.fromEntries(rows.map(({ pid }, index) => [`postgres ${index}`, pid]))
    },
    async stop() {
      await bench.children.stop(child)
      await sql.end()
      await Promise.all([postgresServer.stop(), redis.stop()])
    }
  }
}

async function untilReady(child: Child, adminPort: number): Promise<void> {
  const deadline = performance.now() + startTimeoutMs
  while (performance.now() < deadline && isRunning(child)) {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`).catch(() => null)
    if (answer?.status === 200) return
    await delay(50)
  }
  throw new Error(`control did not become ready. Its last output:\n${child.output()}`)
}

/** Waits until control has written its (empty) state to Redis, so that it does nothing else during measurements. */
async function untilProjected(redisUrl: string): Promise<void> {
  const link = connectServer(redisUrl, { name: 'bench', silenceTimeoutMs: 2000, onError: () => {} })
  try {
    await link.ready()
    const deadline = performance.now() + startTimeoutMs
    for (;;) {
      const { markers } = await readShards(link)
      if ([...markers.values()].every(({ run }) => run === link.run())) return
      if (performance.now() > deadline) throw new Error('control did not write its state to Redis in time')
      await delay(50)
    }
  } finally {
    await link.close()
  }
}
