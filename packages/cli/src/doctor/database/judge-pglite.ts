import { type Result, resultsOf } from '../results/result.ts'

const { ok, warning } = resultsOf('PostgreSQL')

/** Judges a `pglite:` URL. The database itself stays closed: only one process may open it. */
export function judgePglite(url: string): Result[] {
  if (url !== 'pglite:memory') return [ok('PostgreSQL runs inside control (PGlite), for one replica.')]
  return [
    warning('database_in_memory', {
      what: 'DATABASE_URL is pglite:memory.',
      why: 'All accounts, keys and the ledger are lost when control stops.',
      fix: 'Set DATABASE_URL=postgres://user:password@host:5432/database, or pglite:<directory> for one replica.'
    })
  ]
}
