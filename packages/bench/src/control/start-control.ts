import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import type { Sql } from 'postgres'
import postgres from 'postgres'
import type { Bench } from '../bench.ts'
import { type Child, isRunning } from '../children.ts'

/** The server settings that {@link recordPlans} needs. */
const explainableSettings = { logging_collector: 'on', log_destination: 'stderr' }

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
 * Starts the service as operators run it, on an empty database. Its identity provider and payment provider do not
 * exist, because the measured requests do not call them.
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

/** An executed statement with its plan. */
export interface ExecutedPlan {
  /** The pid of the connection's server process. */
  backend: number
  statement: string
  /** The lines of its plan, with the actual number of rows of each step. */
  lines: string[]
}

/**
 * Loads `auto_explain` into every connection opened from now on. It is silent until {@link recordPlans} enables it.
 *
 * @throws if the server lacks `auto_explain`, one of PostgreSQL's contrib modules
 */
async function prepareToExplain(sql: Sql): Promise<void> {
  await sql`load 'auto_explain'`
  await sql`alter system set session_preload_libraries = 'auto_explain'`
  await sql`alter system set auto_explain.log_analyze = on`
  await sql`alter system set auto_explain.log_buffers = on`
  await sql`alter system set auto_explain.log_timing = off`
  await sql`alter system set auto_explain.log_min_duration = -1`
  await sql`select pg_reload_conf()`
}

/** Records the statements of the other connections during an action, with their plans. */
export async function recordPlans(sql: Sql, run: () => Promise<void>): Promise<ExecutedPlan[]> {
  const seen = (await readLog(sql)).length
  await explainAbove(sql, 0)
  await run()
  await explainAbove(sql, -1)
  const [{ own }] = await sql<[{ own: number }]>`select pg_backend_pid() as own`
  return parsePlans((await readLog(sql)).slice(seen)).filter(({ backend }) => backend !== own)
}

/** @param milliseconds -1: no statement is explained */
async function explainAbove(sql: Sql, milliseconds: number): Promise<void> {
  await sql`alter system set auto_explain.log_min_duration = ${sql.unsafe(String(milliseconds))}`
  await sql`select pg_reload_conf()`
  // Idle connections read new settings before their next statement. Our own connection shows when the signal has
  // arrived.
  for (;;) {
    const [{ now }] = await sql<[{ now: string }]>`select current_setting('auto_explain.log_min_duration') as now`
    if (now === String(milliseconds)) return
  }
}

const readLog = async (sql: Sql): Promise<string> =>
  (await sql<[{ log: string }]>`select pg_read_file(pg_current_logfile()) as log`)[0].log

/** Parses the log of `auto_explain`: an entry starts with a time and continues in indented lines. */
export function parsePlans(log: string): ExecutedPlan[] {
  return log.split(/^(?=\S)/m).flatMap((entry) => {
    const head = /\[(\d+)\] LOG: {2}duration: [\d.]+ ms {2}plan:\n/.exec(entry)
    if (head === null) return []
    const lines = entry
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^\t/, ''))
      .filter((line) => line.trim() !== '')
    const first = lines.findIndex((line) => /\(cost=/.test(line))
    if (first < 1) return []
    const statement = lines
      .slice(0, first)
      .join(' ')
      .replace(/^Query Text: /, '')
      .replace(/\s+/g, ' ')
      .trim()
    return [{ backend: Number(head[1]), statement, lines: lines.slice(first) }]
  })
}

/** The tables that a plan reads in full. */
export const tablesScanned = ({ lines }: ExecutedPlan): string[] =>
  lines.flatMap((line) => /\bSeq Scan on (\w+)/.exec(line)?.[1] ?? [])
