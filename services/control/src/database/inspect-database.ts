import { is, sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { type Database, type Orm, queryRows } from './connect.ts'
import { migrationsFolder } from './migrations-folder.ts'
import * as accounts from './schema/accounts.ts'
import * as audit from './schema/audit.ts'
import * as billing from './schema/billing.ts'
import * as keys from './schema/keys.ts'
import * as projection from './schema/projection.ts'
import * as requests from './schema/requests.ts'
import * as usage from './schema/usage.ts'
import * as users from './schema/users.ts'

/** Privileges that control needs on each of its tables. */
export const tablePrivileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const
export type TablePrivilege = (typeof tablePrivileges)[number]

const settingNames = [
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'max_connections',
  'superuser_reserved_connections',
  'reserved_connections',
  'transaction_read_only'
] as const
export type DatabaseSettings = Readonly<Record<(typeof settingNames)[number], string | null>>

/** A table of control. */
export interface TableFacts {
  readonly name: string
  readonly exists: boolean
  /** Privileges that the role of the URL lacks. Empty for an absent table. */
  readonly missing: readonly TablePrivilege[]
  /** Whether the role may change the table, as migrations do. */
  readonly isOwned: boolean
}

/** What a check of a PostgreSQL server needs to know. */
export interface DatabaseFacts {
  /** `server_version_num`: 150006 is 15.6. */
  readonly version: number
  readonly role: string
  readonly database: string
  /** The schema of new tables; null if the role has no schema for them. */
  readonly schema: string | null
  readonly settings: DatabaseSettings
  readonly isReplica: boolean
  /** Whether a pooler such as PgBouncer is between: it reports another process than the server's. */
  readonly isPooled: boolean
  /** Whether the role may create tables. */
  readonly canCreate: boolean
  readonly tables: readonly TableFacts[]
  /** Migrations of this release that are not applied, and later ones of a newer release. */
  readonly pendingMigrations: number
  readonly newerMigrations: number
  /** The server's time, ms since the epoch. */
  readonly timeMs: number
}

/**
 * Reads the facts of a PostgreSQL server in one transaction. Changes nothing.
 *
 * @throws the error of the connection or of a query
 */
export async function inspectDatabase({ orm }: Pick<Database, 'orm'>): Promise<DatabaseFacts> {
  return orm.transaction(async (tx) => {
    const isPooled = await isBehindPooler(tx)
    const [server] = await queryRows<Server>(tx, serverQuery)
    const settings = await queryRows<{ name: string; value: string | null }>(tx, settingsQuery)
    const { version, role, database, schema, replica, create_allowed, now } = server!
    return {
      version,
      role,
      database,
      schema,
      isReplica: replica,
      isPooled,
      canCreate: create_allowed,
      timeMs: now,
      settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])) as DatabaseSettings,
      tables: (await queryRows<TableRow>(tx, tablesQuery)).map(toTable),
      ...(await readMigrations(tx))
    }
  })
}

interface Server {
  version: number
  role: string
  database: string
  schema: string | null
  replica: boolean
  create_allowed: boolean
  now: number
}

/** The driver does not parse arrays: `fetch_types` is off. */
type TableRow = Omit<TableFacts, 'missing'> & { readonly missing: string | null }

const toTable = ({ missing, ...table }: TableRow): TableFacts => ({
  ...table,
  missing: (missing?.split(',') ?? []) as TablePrivilege[]
})

const serverQuery = sql`
  select current_setting('server_version_num')::int as version, current_user::text as role,
    current_database()::text as database, current_schema()::text as schema, pg_is_in_recovery() as replica,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as create_allowed, 
    floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now`

const list = (names: readonly string[]) =>
  sql.join(
    names.map((name) => sql`${name}`),
    sql`, `
  )

const settingsQuery = sql`
  select name, current_setting(name, true) as value from unnest(array[${list(settingNames)}]::text[]) as name`

const ownTables: readonly string[] = [
  ...[accounts, audit, billing, keys, projection, requests, usage, users]
    .flatMap((part) => Object.values(part))
    .flatMap((member) => (is(member, PgTable) ? getTableConfig(member).name : [])),
  'migrations'
].toSorted()

/** `to_regclass` follows the search path, as the queries of control do. */
const tablesQuery = sql`
  select name, oid is not null as exists,
    (
      select string_agg(privilege, ',') from unnest(array[${list(tablePrivileges)}]::text[]) as privilege
      where oid is not null and not has_table_privilege(oid, privilege)
    ) as missing,
    coalesce((select pg_has_role(relowner, 'USAGE') from pg_class where pg_class.oid = named.oid), true) as "isOwned"
  from (
    select name, to_regclass(quote_ident(name))::oid as oid from unnest(array[${list(ownTables)}]::text[]) as name
  ) as named order by name`

/** The driver knows the process id that the other end of its connection reported. A pooler reports its own number. */
async function isBehindPooler(tx: Pick<Orm, 'execute'>): Promise<boolean> {
  const result = (await tx.execute(sql`select pg_backend_pid() as pid`)) as unknown as {
    state?: { pid: number }
    [row: number]: { pid: number }
  }
  return result.state !== undefined && result.state.pid !== result[0]?.pid
}

async function readMigrations(tx: Orm): Promise<Pick<DatabaseFacts, 'pendingMigrations' | 'newerMigrations'>> {
  const ids = readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis)
  const [table] = await queryRows<{ readable: boolean }>(
    tx,
    sql`select coalesce(has_table_privilege(to_regclass('migrations')::oid, 'SELECT'), false) as readable`
  )
  if (!table!.readable) return { pendingMigrations: ids.length, newerMigrations: 0 }
  const rows = await queryRows<{ id: string }>(tx, sql`select id::text from migrations`)
  const applied = new Set(rows.map(({ id }) => Number(id)))
  const last = Math.max(...ids)
  return {
    pendingMigrations: ids.filter((id) => !applied.has(id)).length,
    newerMigrations: [...applied].filter((id) => id > last).length
  }
}
