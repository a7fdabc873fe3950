import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { findPgbouncer, startPgbouncer } from '../system/pgbouncer.ts'

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
