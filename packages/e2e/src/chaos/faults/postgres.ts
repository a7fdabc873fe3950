import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'

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

async function setReadOnly({ sql }: ChaosSystem, value: 'on' | 'off'): Promise<void> {
  // Nothing that is written: a server that refuses writes does this, too.
  await sql.unsafe(`alter system set default_transaction_read_only = ${value}`)
  await sql`select pg_reload_conf()`
}
