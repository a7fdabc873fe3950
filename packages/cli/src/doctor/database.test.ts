import assert from 'node:assert/strict'
import type { DatabaseFacts } from '@tollgate/control/database/inspect-database.ts'
import { test } from 'tap'
import { type DatabaseOutcome, judgeDatabase } from './database.ts'

const right: DatabaseFacts = {
  version: 160_002,
  role: 'tollgate',
  database: 'tollgate',
  schema: 'public',
  settings: {
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    max_connections: '100',
    superuser_reserved_connections: '3',
    reserved_connections: null,
    transaction_read_only: 'off'
  },
  isReplica: false,
  isPooled: false,
  canCreate: true,
  tables: [{ name: 'accounts', exists: true, missing: [], isOwned: true }],
  pendingMigrations: 0,
  newerMigrations: 0,
  timeMs: 0
}
const facts = (change: Partial<DatabaseFacts>): DatabaseOutcome => ({
  kind: 'facts',
  facts: { ...right, ...change },
  skewMs: 0
})
const refused = (sqlState: string, message = 'no'): DatabaseOutcome => ({ kind: 'refused', sqlState, message })
const settings = { poolSize: 10, migratesItself: true }

const cases: Array<[name: string, outcome: DatabaseOutcome, expected: string[]]> = [
  ['a right server', facts({}), []],
  ['an old server', facts({ version: 120_017 }), ['error database_too_old']],
  ['a server older than those of the tests', facts({ version: 140_001 }), ['warning database_old']],
  ['a standby', facts({ isReplica: true }), ['error database_read_only']],
  ['an empty database that control will migrate', facts({ pendingMigrations: 15 }), []],
  [
    'an empty database that control may not migrate',
    facts({ pendingMigrations: 15, canCreate: false }),
    ['error database_ddl']
  ],
  ['no rights for later migrations', facts({ canCreate: false }), ['warning database_ddl']],
  [
    'tables of another owner',
    facts({ tables: [{ name: 'accounts', exists: true, missing: [], isOwned: false }] }),
    ['warning database_ddl']
  ],
  [
    'missing grants',
    facts({ tables: [{ name: 'accounts', exists: true, missing: ['INSERT'], isOwned: false }] }),
    ['error database_grants']
  ],
  [
    'few connections',
    facts({ settings: { ...right.settings, max_connections: '12' } }),
    ['error database_pool_too_large']
  ],
  [
    'few connections behind a pooler',
    facts({ isPooled: true, settings: { ...right.settings, max_connections: '12' } }),
    []
  ],
  ['a wrong password', refused('28P01'), ['error database_login_refused']],
  ['no entry in pg_hba.conf', refused('28000'), ['error database_login_refused']],
  ['too many connections', refused('53300'), ['error database_full']],
  [
    'a pooler of statements',
    refused('08P01', 'transaction blocks not allowed in statement pooling mode'),
    ['error database_statement_pooling']
  ],
  ['another error', refused('XX000'), ['error database_refused']],
  [
    'a certificate',
    { kind: 'failure', failure: { kind: 'tls', code: 'CERT_HAS_EXPIRED' } },
    ['error database_unreachable']
  ]
]

for (const [name, outcome, expected] of cases) {
  test(name, async () => {
    const codes = judgeDatabase(outcome, settings).flatMap((one) =>
      'code' in one ? [`${one.severity} ${one.code}`] : []
    )
    assert.deepEqual(codes, expected)
  })
}
