import { setTimeout as delay } from 'node:timers/promises'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import type { Sql } from 'postgres'
import postgres from 'postgres'
import { type OperatedSystem, type PostgresTools, runTollgate } from '../operation/start-operated-system.ts'

export interface Restored {
  readonly url: string
  /** Directly to the restored database. */
  readonly sql: Sql
  /** What `tollgate restored` printed. */
  readonly report: string
  readonly restoreMs: number
  /** From the start of control until all keys were verified. */
  readonly verifiedMs: number
}

const controls = ['control', 'control-2']
const timeoutMs = 300_000

/**
 * Restores a backup as docs/operate/backup-and-restore.md says: stops control, restores into a new, empty server, runs
 * `tollgate restored`, and starts control with the new database. Gateways keep running.
 *
 * @param data what Redis has: its data, or nothing
 */
export async function restore(
  t: { teardown(handler: () => Promise<void>): void },
  operated: OperatedSystem,
  tools: PostgresTools,
  file: string,
  { data }: { data: 'kept' | 'empty' }
): Promise<Restored> {
  const { system, variables, redis, link, directory } = operated
  await Promise.all(controls.map((name) => system.part(name).stop()))
  const server = (await startPostgres({ settings: { max_connections: '100' } }))!
  const sql = postgres(server.url, { max: 2, onnotice: () => {} })
  t.teardown(async () => {
    await Promise.all(controls.map((name) => system.part(name).stop()))
    await sql.end()
    await server.stop()
  })
  const startedAt = performance.now()
  await tools.restore(server.url, file)
  const restoreMs = performance.now() - startedAt
  if (data === 'empty') await redis.ask((client) => client.flushall())
  const { status, text } = await runTollgate(
    ['restored'],
    { DATABASE_URL: server.url, REDIS_URL: redis.url },
    directory
  )
  if (status !== 0) throw new Error(`tollgate restored ended with ${status}: ${text}`)
  for (const name of controls) variables.set(name, { DATABASE_URL: server.url })
  const controlAt = performance.now()
  await Promise.all(controls.map((name) => system.part(name).start()))
  await untilVerified(sql, link)
  return { url: server.url, sql, report: text, restoreMs, verifiedMs: performance.now() - controlAt }
}

/** Waits until control has verified that Redis has the state of the restored database. */
export async function untilVerified(sql: Sql, link: RedisLink): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { markers, failures } = await readShards(link)
    const [row] = await sql<Array<{ epoch: number }>>`select epoch from projection`
    const rows = await sql<Array<{ name: string; version: string }>>`select name, version::text from shards`
    const changes = new Map(rows.map(({ name, version }) => [name, Number(version)]))
    const isThere = [...markers].every(
      ([shard, { run, currentRunId, version }]) =>
        run === currentRunId && version === versionOf(row?.epoch ?? 0, changes.get(shard) ?? 0)
    )
    if (failures.length === 0 && isThere) return
    if (performance.now() > deadline) throw new Error(`Redis was not verified in ${timeoutMs / 1000} s`)
    await delay(20)
  }
}
