import type { Socket } from 'node:net'
import type { RunningPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { afterGroup } from '@tollgate/sandbox/testing/after-group.ts'
import { type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import {
  type Database,
  type Orm,
  openSocket,
  postgresSettings,
  queryRows,
  type SocketTarget
} from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'
import { createDatabase } from './create-database.ts'

/** A migrated database that a test borrows, with the rows that migrations insert and no others. */
export interface LeasedDatabase {
  readonly url: string
  /** Ends the lease: a later test gets the database, without the rows of this one. Close connections before. */
  giveBack(): Promise<void>
}

/** How a database was when it was new. */
interface Content {
  /** What {@link fingerprint} returned. */
  schema: string
  /** The rows that migrations insert, as JSON by table. */
  rows: ReadonlyMap<string, string>
}

interface Prepared extends Content {
  url: string
  /** It stays open: to open one costs PostgreSQL as much as to empty a database. */
  connection: Connection
}

interface PreparedPglite extends Content {
  database: Database
}

/** Databases that no test uses, by the URL of their server. */
const idle = new Map<string, Prepared[]>()
/** Migrated PGlites that no test uses. */
const idlePglites: PreparedPglite[] = []

/**
 * Leases a migrated database of a server. To empty one takes a tenth of the time that creating one takes, and a
 * fiftieth of a migration's.
 */
export async function leaseDatabase({ url: serverUrl }: RunningPostgres): Promise<LeasedDatabase> {
  const pool = idle.get(serverUrl) ?? []
  idle.set(serverUrl, pool)
  const prepared = pool.pop() ?? (await prepare(serverUrl))
  return {
    url: prepared.url,
    async giveBack() {
      // A test that changed the schema, such as by a partition, keeps its database until the server stops.
      const isLikeNew = await prepared.connection.use(async (orm) => {
        await orm.execute(endOtherConnections)
        return isEmptied(orm, prepared)
      })
      if (isLikeNew) pool.push(prepared)
    }
  }
}

/**
 * Leases a migrated PGlite of this process until `close`. To start one takes more than ten times as long as to empty
 * it.
 *
 * @param open opens a new one
 */
export async function leasePglite(open: () => Promise<Database>): Promise<Database> {
  const prepared = idlePglites.pop() ?? (await preparePglite(open))
  const { database } = prepared
  let isOpen = true
  const orm = new Proxy(database.orm, {
    get(target, property) {
      if (!isOpen) throw new Error('This database is closed')
      return Reflect.get(target, property)
    }
  })
  return {
    orm,
    connections: database.connections,
    async close() {
      if (!isOpen) return
      isOpen = false
      if (await isEmptied(database.orm, prepared)) {
        // Settings, locks and temporary tables of its only session.
        await database.orm.execute(sql`discard all`)
        idlePglites.push(prepared)
      } else {
        await database.close()
      }
    }
  }
}

async function prepare(serverUrl: string): Promise<Prepared> {
  const url = await createDatabase(serverUrl)
  const connection = connect(url)
  return connection.use(async (orm) => {
    await migrate(orm)
    return { url, connection, ...(await readContent(orm)) }
  })
}

async function preparePglite(open: () => Promise<Database>): Promise<PreparedPglite> {
  const database = await open()
  // Its timer would keep this process.
  afterGroup(() => database.close(), true)
  return { database, ...(await readContent(database.orm)) }
}

async function readContent(orm: Orm): Promise<Content> {
  const rows = new Map<string, string>()
  for (const { name } of await queryRows<{ name: string }>(orm, tables)) {
    const [row] = await queryRows<{ rows: string | null }>(
      orm,
      sql`select json_agg(t)::text as rows from ${sql.raw(name)} t`
    )
    if (row?.rows != null) rows.set(name, row.rows)
  }
  return { schema: await readText(orm, fingerprint), rows }
}

/** One connection to a database. It ends with the server. */
interface Connection {
  /** Runs work on it. It does not keep this process when none runs. */
  use<Result>(work: (orm: Orm) => Promise<Result>): Promise<Result>
}

function connect(url: string): Connection {
  let socket: Socket | undefined
  const orm = drizzle(
    postgres(url, {
      ...postgresSettings,
      max: 1,
      // Its timer would keep this process.
      max_lifetime: null,
      socket: (target: SocketTarget) => (socket = openSocket(target))
    } as object)
  )
  return {
    async use(work) {
      socket?.ref()
      try {
        return await work(orm)
      } finally {
        socket?.unref()
      }
    }
  }
}

/** Deletes all rows but those of migrations. @returns whether the schema is as it was */
async function isEmptied(orm: Orm, { schema, rows }: Content): Promise<boolean> {
  if ((await readText(orm, fingerprint)) !== schema) return false
  await orm.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`)
    await tx.execute(emptyAll)
    for (const [table, json] of rows) {
      const name = sql.raw(table)
      await tx.execute(
        sql`insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, ${json}::json)`
      )
    }
  })
  return true
}

const endOtherConnections = sql`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`

/** Tables and partitions of a migrated database, but not the parents of partitions, which have no rows. */
const tables = sql`
  select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`

// A table without pages never had a row.
const emptyAll = sql`
  do $$
  declare
    one record;
  begin
    for one in ${tables} and pg_relation_size(oid) > 0 loop
      execute format('delete from %s', one.name);
    end loop;
    perform setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
      from pg_sequences where last_value is not null;
  end
  $$`

/** The versions of everything that a test could change but rows. */
const fingerprint = sql`
  select concat_ws(' ',
    (select concat(count(*), '/', sum(xmin::text::bigint)) from pg_class where relnamespace = 'public'::regnamespace),
    (select concat(count(*), '/', sum(xmin::text::bigint)) from pg_proc where pronamespace = 'public'::regnamespace),
    (select concat(count(*), '/', sum(xmin::text::bigint)) from pg_trigger where not tgisinternal),
    (select concat(count(*), '/', sum(xmin::text::bigint)) from pg_constraint where connamespace = 'public'::regnamespace),
    (select xmin from pg_namespace where nspname = 'public'),
    (select string_agg(setconfig::text, ' ') from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database()))
  ) as text`

async function readText(orm: Orm, query: SQL): Promise<string> {
  const [row] = await queryRows<{ text: string }>(orm, query)
  return row!.text
}
