import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from 'postgres'
import type { Fault } from '../fault.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { findPgbouncer, startPgbouncer } from '../system/pgbouncer.ts'
import { whyNoSmallDisk } from '../system/small-disk.ts'
import { watchPublicPages } from './public-pages.ts'

/** PostgreSQL behind a pooler in transaction mode: no session state, five connections for all replicas. */
export const poolerFaults: readonly Fault[] = [
  {
    name: 'pooler',
    summary: 'control reaches PostgreSQL through pgbouncer in transaction mode, and all connections are lost once',
    conditions: { startPooler: startPgbouncer },
    missing: () => (findPgbouncer() === null ? 'pgbouncer is not installed' : null),
    allowed: { retriesSucceed: true },
    async inject({ sql }) {
      await delay(5000)
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`
      await delay(5000)
    }
  }
]

const lastsMs = 10_000

/** Faults of the database. Inference continues during all of them. */
export const postgresFaults: readonly Fault[] = [
  {
    name: 'postgres-kill',
    summary: 'PostgreSQL is killed (SIGKILL) and started again after 5 s',
    allowed: { retriesSucceed: true },
    async inject(system, _, findings) {
      const { postgres } = system
      await watchPublicPages(system, findings, async () => {
        await postgres.kill('SIGKILL')
        await delay(5000)
      })
      await postgres.restart()
    }
  },
  {
    name: 'postgres-read-only',
    summary: 'PostgreSQL refuses all writes for 10 s',
    allowed: { retriesSucceed: true },
    async inject(system) {
      await setReadOnly(system, 'on')
      await delay(lastsMs)
      await setReadOnly(system, 'off')
    }
  },
  {
    name: 'postgres-disk-full',
    summary: 'the disk of PostgreSQL is full for 10 s',
    conditions: { smallDisk: true },
    missing: whyNoSmallDisk,
    allowed: { retriesSucceed: true },
    async inject({ disk, postgres, sql }) {
      await disk.fill()
      await assertDiskFull(sql)
      await delay(lastsMs)
      await disk.clear()
      // PostgreSQL exits if it cannot write its log. A supervisor would restart it.
      await sql`select`.catch(() => postgres.restart())
    }
  },
  {
    name: 'postgres-slow',
    summary: 'every answer of PostgreSQL takes 300 ms longer, for 10 s',
    allowed: { retriesSucceed: true },
    async inject({ controls }) {
      for (const { database } of controls) database.shape({ delayMs: 150 })
      await delay(lastsMs)
      for (const { database } of controls) database.restore()
    }
  },
  {
    name: 'postgres-silent',
    summary: 'packets between control and PostgreSQL are dropped for 10 s',
    allowed: { retriesSucceed: true },
    async inject(system, _, findings) {
      const { controls } = system
      await watchPublicPages(system, findings, async () => {
        for (const { database } of controls) database.drop()
        await delay(lastsMs)
      })
      for (const { database } of controls) database.restore()
    }
  }
]

/** Checks that the disk is full. @throws Error if a table still fits */
async function assertDiskFull(sql: Sql): Promise<void> {
  const outcome = await sql`create table filling as select generate_series(1, 100000)`.then(
    () => 'there is room',
    (error: Error) => error.message
  )
  if (!/No space left on device|recovery mode|terminat|ECONN/i.test(outcome))
    throw new Error(`the disk is not full: ${outcome}`)
}

async function setReadOnly({ sql }: ChaosSystem, value: 'on' | 'off'): Promise<void> {
  // This changes no data, so a server that refuses writes accepts it too.
  await sql.unsafe(`alter system set default_transaction_read_only = ${value}`)
  await sql`select pg_reload_conf()`
}
