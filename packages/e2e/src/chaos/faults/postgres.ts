import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from 'postgres'
import type { Fault } from '../fault.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { whyNoSmallDisk } from '../system/small-disk.ts'

const lastsMs = 10_000

/** Inference goes on without the database, whatever is wrong with it. */
export const postgresFaults: readonly Fault[] = [
  {
    name: 'postgres-kill',
    summary: 'PostgreSQL is killed (SIGKILL) and started again after 5 s',
    allowed: { bridged: true },
    async inflict({ postgres }) {
      await postgres.kill('SIGKILL')
      await delay(5000)
      await postgres.restart()
    }
  },
  {
    name: 'postgres-read-only',
    summary: 'PostgreSQL refuses all writes for 10 s',
    allowed: { bridged: true },
    async inflict(system) {
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
    allowed: { bridged: true },
    async inflict({ disk, postgres, sql }) {
      await disk.fill()
      await insistOnFullDisk(sql)
      await delay(lastsMs)
      await disk.clear()
      // It ends if it cannot write its log; whoever looks after it then starts it again.
      await sql`select`.catch(() => postgres.restart())
    }
  },
  {
    name: 'postgres-silent',
    summary: 'no replica of control reaches PostgreSQL for 10 s, and none is told',
    allowed: { bridged: true },
    async inflict({ controls }) {
      for (const { database } of controls) database.drop()
      await delay(lastsMs)
      for (const { database } of controls) database.restore()
    }
  }
]

/** @throws Error if there is still room for a table */
async function insistOnFullDisk(sql: Sql): Promise<void> {
  const outcome = await sql`create table filling as select generate_series(1, 100000)`.then(
    () => 'there is room',
    (error: Error) => error.message
  )
  if (!/No space left on device|recovery mode|terminat|ECONN/i.test(outcome))
    throw new Error(`the disk is not full: ${outcome}`)
}

async function setReadOnly({ sql }: ChaosSystem, value: 'on' | 'off'): Promise<void> {
  // Nothing that is written: a server that refuses writes does this, too.
  await sql.unsafe(`alter system set default_transaction_read_only = ${value}`)
  await sql`select pg_reload_conf()`
}
