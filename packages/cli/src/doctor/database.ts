import { openDatabase } from '@tollgate/control/database/connect.ts'
import { type DatabaseFacts, inspectDatabase } from '@tollgate/control/database/inspect-database.ts'
import { cureFailure, describeFailure, type Failure, failureOf, withTimeout } from './network.ts'
import { type Checked, count, type Finding, type Result, resultsOf, skip } from './results.ts'
import type { Settings } from './settings.ts'

const { ok, error, warning } = resultsOf('PostgreSQL')

/** `gen_random_uuid()` without an extension. */
const minVersion = 13

const testedVersion = 15

export async function checkDatabase({ control, areValid, env }: Settings, timeoutMs: number): Promise<Checked> {
  if (control === null || !areValid('DATABASE_URL')) return skip('PostgreSQL', 'DATABASE_URL')
  const { databaseUrl: url } = control
  if (url.startsWith('pglite:')) return { results: judgePglite(url) }
  const outcome = await readDatabase(url, timeoutMs)
  const settings = { poolSize: control.databasePoolSize, migratesItself: env.AUTO_MIGRATE !== 'false' }
  const clock = outcome.kind === 'facts' ? { name: 'PostgreSQL', skewMs: outcome.skewMs } : null
  return { results: judgeDatabase(outcome, settings), clock }
}

export type DatabaseOutcome =
  | { readonly kind: 'facts'; readonly facts: DatabaseFacts; readonly skewMs: number }
  /** SQLSTATE: the server refused. */
  | { readonly kind: 'refused'; readonly sqlState: string; readonly message: string }
  | { readonly kind: 'failure'; readonly failure: Failure }

/** Connects to a PostgreSQL server and reads what the check needs. Never rejects. */
export async function readDatabase(url: string, timeoutMs: number): Promise<DatabaseOutcome> {
  let close = async () => {}
  try {
    const database = await openDatabase(url, { poolSize: 1, connectTimeoutMs: timeoutMs })
    close = () => database.close()
    const before = Date.now()
    const facts = await withTimeout(inspectDatabase(database), timeoutMs)
    return { kind: 'facts', facts, skewMs: facts.timeMs - (before + Date.now()) / 2 }
  } catch (error) {
    return outcomeOf(error)
  } finally {
    void close().catch(() => {})
  }
}

/** The driver's error is inside drizzle's, whose message has the statement. */
function outcomeOf(error: unknown): DatabaseOutcome {
  const reason = error instanceof Error && error.name === 'DrizzleQueryError' ? error.cause : error
  const { code, message } = (reason ?? {}) as { code?: unknown; message?: string }
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) {
    return { kind: 'refused', sqlState: code, message: message ?? '' }
  }
  return { kind: 'failure', failure: failureOf(reason) }
}

export interface DatabaseSettings {
  /** DATABASE_POOL_SIZE */
  readonly poolSize: number
  /** Whether control migrates the database when it starts. */
  readonly migratesItself: boolean
}

export function judgeDatabase(outcome: DatabaseOutcome, settings: DatabaseSettings): Result[] {
  if (outcome.kind === 'failure') {
    return [
      error('database_unreachable', {
        what: describeFailure('PostgreSQL (DATABASE_URL)', outcome.failure),
        why: 'Control does not start without its database.',
        fix: cureFailure('DATABASE_URL', outcome.failure)
      })
    ]
  }
  if (outcome.kind === 'refused') return [judgeRefusal(outcome)]
  const { facts } = outcome
  const version = versionOf(facts.version)
  const findings = [
    ...judgeServer(facts),
    ...judgeDurability(facts),
    ...judgeMigrations(facts, settings),
    ...judgeGrants(facts, settings),
    ...judgeConnections(facts, settings)
  ]
  const pooled = facts.isPooled ? ', behind a pooler; transactions work' : ''
  return [ok(`Version ${version}, role ${facts.role}, database ${facts.database}${pooled}.`), ...findings]
}

/** 150006 is 15.6. */
const versionOf = (number: number): string => `${Math.floor(number / 10_000)}.${number % 10_000}`

function judgeRefusal({ sqlState, message }: { sqlState: string; message: string }): Finding {
  const why = 'Control does not start without its database.'
  if (sqlState === '28P01' || sqlState === '28000') {
    return error('database_login_refused', {
      what: `PostgreSQL refuses the login of DATABASE_URL: ${message}`,
      why,
      fix: 'Correct user and password in DATABASE_URL. Percent-encode reserved characters: the password a@b is a%40b.'
    })
  }
  if (sqlState === '3D000') {
    return error('database_absent', {
      what: `${message}.`,
      why,
      fix: 'Create it with `createdb`, or correct DATABASE_URL.'
    })
  }
  if (sqlState === '53300') {
    return error('database_full', {
      what: `PostgreSQL accepts no further connection: ${message}`,
      why,
      fix: 'Raise max_connections, lower DATABASE_POOL_SIZE, or connect through a pooler.'
    })
  }
  if (/transaction blocks not allowed in statement pooling mode/.test(message)) {
    return error('database_statement_pooling', {
      what: 'The pooler of DATABASE_URL pools statements.',
      why: 'Control needs transactions, which statement pooling forbids.',
      fix: 'Set pool_mode = transaction for this database in pgbouncer.ini.'
    })
  }
  return error('database_refused', {
    what: `PostgreSQL answered with an error (${sqlState}): ${message}`,
    why,
    fix: 'Check DATABASE_URL, and the log of the server.'
  })
}

function judgeServer({ version, isReplica, settings }: DatabaseFacts): Finding[] {
  const major = Math.floor(version / 10_000)
  if (major < minVersion) {
    return [
      error('database_too_old', {
        what: `PostgreSQL has version ${versionOf(version)}.`,
        why: `The migrations of Tollgate need version ${minVersion} or later.`,
        fix: `Upgrade PostgreSQL to version ${testedVersion} or later.`
      })
    ]
  }
  if (isReplica || settings.transaction_read_only === 'on') {
    return [
      error('database_read_only', {
        what: isReplica ? 'DATABASE_URL leads to a standby server.' : 'Transactions are read-only for this role.',
        why: 'Control cannot store anything.',
        fix: isReplica ? 'Name the primary server in DATABASE_URL.' : 'ALTER ROLE … RESET default_transaction_read_only'
      })
    ]
  }
  if (major >= testedVersion) return []
  return [
    warning('database_old', {
      what: `PostgreSQL has version ${versionOf(version)}.`,
      why: `Tollgate is tested with version ${testedVersion} and later.`,
      fix: `Upgrade PostgreSQL to version ${testedVersion} or later.`
    })
  ]
}

function judgeDurability({ settings }: DatabaseFacts): Finding[] {
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => settings[name] === 'off')
  const findings = off.map((name) =>
    error(`database_${name}_off`, {
      what: `${name} is off.`,
      why: 'A power failure can destroy the database, with accounts, keys and the ledger.',
      fix: `ALTER SYSTEM SET ${name} = on; SELECT pg_reload_conf();`
    })
  )
  if (settings.synchronous_commit !== 'off') return findings
  return [
    ...findings,
    error('database_synchronous_commit_off', {
      what: 'synchronous_commit is off.',
      why: 'A crash of the server undoes the last changes, such as revoked keys, after control has confirmed them.',
      fix: 'ALTER DATABASE … SET synchronous_commit = on (check also ALTER ROLE and postgresql.conf)'
    })
  ]
}

function judgeMigrations(
  { pendingMigrations: pending, newerMigrations: newer }: DatabaseFacts,
  settings: DatabaseSettings
) {
  if (newer > 0) {
    return [
      warning('database_newer', {
        what: `A newer release of Tollgate applied ${count(newer, 'migration')} that this one does not know.`,
        why: 'This release may not work with the newer tables.',
        fix: 'Update this installation to the newer release.'
      })
    ]
  }
  if (pending === 0) return []
  if (settings.migratesItself)
    return [ok(`Pending: ${count(pending, 'migration')}. Control applies them when it starts.`)]
  return [
    error('database_migrations_pending', {
      what: `Pending: ${count(pending, 'migration')}, and AUTO_MIGRATE=false.`,
      why: 'Control does not start without them.',
      fix: 'tollgate migrate'
    })
  ]
}

function judgeGrants(facts: DatabaseFacts, { migratesItself }: DatabaseSettings): Finding[] {
  const { tables, role, schema, pendingMigrations } = facts
  const lacking = tables.filter(({ missing }) => missing.length > 0)
  if (lacking.length > 0) {
    const [{ name, missing }] = lacking as [DatabaseFacts['tables'][number]]
    const others = lacking.length === 1 ? '' : ` and ${lacking.length - 1} more tables`
    return [
      error('database_grants', {
        what: `The role ${role} lacks ${missing.join(', ')} on table ${name}${others}.`,
        why: 'Control cannot read or write its tables.',
        fix: `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema ?? 'public'} TO ${role};`
      })
    ]
  }
  if (!migratesItself) return []
  const isOwner = tables.every(({ exists, isOwned }) => !exists || isOwned)
  if (facts.canCreate && isOwner) return []
  const text = {
    what: facts.canCreate
      ? `The role ${role} does not own the tables of Tollgate.`
      : `The role ${role} may not create tables${schema === null ? ', because no schema is in its search path' : ` in schema ${schema}`}.`,
    why: 'Control migrates the database when it starts. Without these rights it does not start after an update.',
    fix: `Let the owner of the tables run \`tollgate migrate\` and set AUTO_MIGRATE=false. Or: GRANT CREATE ON SCHEMA ${schema ?? 'public'} TO ${role};`
  }
  return [pendingMigrations > 0 ? error('database_ddl', text) : warning('database_ddl', text)]
}

function judgeConnections({ settings, isPooled }: DatabaseFacts, { poolSize }: DatabaseSettings): Finding[] {
  // A pooler has its own limits, and the server's are not those of its clients.
  if (isPooled) return []
  const reserved = Number(settings.superuser_reserved_connections ?? 0) + Number(settings.reserved_connections ?? 0)
  const free = Number(settings.max_connections) - reserved
  const what = `DATABASE_POOL_SIZE is ${poolSize}, and PostgreSQL accepts ${free} connections (max_connections less the reserved ones).`
  const fix = `Lower DATABASE_POOL_SIZE, or raise max_connections in postgresql.conf.`
  if (poolSize > free) {
    return [error('database_pool_too_large', { what, why: 'Requests get 503 as soon as control is busy.', fix })]
  }
  if (2 * poolSize <= free) return []
  return [
    warning('database_pool_large', {
      what,
      why: 'A second replica of control, or a rolling restart, has no room.',
      fix
    })
  ]
}

/** Judges a `pglite:` URL. The database itself stays closed: only one process may open it. */
function judgePglite(url: string): Result[] {
  if (url !== 'pglite:memory') return [ok('PostgreSQL runs inside control (PGlite), for one replica.')]
  return [
    warning('database_in_memory', {
      what: 'DATABASE_URL is pglite:memory.',
      why: 'All accounts, keys and the ledger are lost when control stops.',
      fix: 'Set DATABASE_URL=postgres://user:password@host:5432/database, or pglite:<directory> for one replica.'
    })
  ]
}
