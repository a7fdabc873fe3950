import { connect, type Socket } from 'node:net'
import type { SQL } from 'drizzle-orm'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { hasPglite, openPglite } from './open-pglite.ts'

/** The options that the `postgres` driver passes on. */
export interface SocketTarget {
  host: string[]
  port: number[]
  path: string | false
}

/**
 * Opens the driver's socket. The driver itself does not notice when a server hangs up without an answer, as a proxy
 * without a backend does: it would reconnect at once and for ever, while the query waits. This socket fails then.
 */
export function openSocket({ host, port, path }: SocketTarget): Socket {
  const socket = path === false ? connect(port[0]!, host[0]!) : connect(path)
  // The driver reads it for TLS.
  Object.assign(socket, { host: host[0] })
  socket.once('end', () => {
    if (socket.bytesRead > 0) return
    socket.destroy(
      Object.assign(new Error('the database closed the connection before it answered'), { code: 'ECONNRESET' })
    )
  })
  return socket
}

/** Whether a URL names several servers; then the driver has to choose one. */
const hasSeveralHosts = (url: string): boolean => /^[^/]*\/\/[^/]*,/.test(url)

/** Drizzle over either driver. The result of `execute` differs between them: use {@link queryRows}. */
export type Orm = PgDatabase<PgQueryResultHKT, Record<string, never>>

/**
 * The argument of `orm.transaction`'s callback. Inside the callback use nothing else: with PGlite, or a pool of one
 * connection, another query would deadlock with the transaction.
 */
export type Transaction = Parameters<Parameters<Orm['transaction']>[0]>[0]

export interface Database {
  readonly orm: Orm
  /** The number of transactions that can run at once. */
  readonly connections: number
  /** Lets running queries end, for at most five seconds. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Connections to PostgreSQL. PGlite has one. */
  poolSize?: number
  /** The timeout of an attempt to connect. */
  connectTimeoutMs?: number
}

/**
 * Opens the database of a URL: `postgres://…` (any PostgreSQL, also behind a pooler in transaction mode),
 * `pglite:<directory>` (PostgreSQL inside this process, stored in that directory) or `pglite:memory`.
 *
 * The first query connects to PostgreSQL. No start-up parameters are sent, since poolers refuse unknown ones. A
 * statement timeout is set on the role, or in the URL as `?statement_timeout=<ms>`.
 *
 * @throws Error if the URL has another form, or if another process has the directory open
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, options)
  if (url === 'pglite:memory') return openPglite(null)
  if (url.startsWith('pglite:') && url.length > 'pglite:'.length) return openPglite(url.slice('pglite:'.length))
  throw new Error(
    `a database URL begins with postgres://${hasPglite ? ', or is pglite:<directory> or pglite:memory' : ''}`
  )
}

/** Runs a hand-written statement with either driver. Columns have the driver's types: cast in SQL. */
export async function queryRows<Row extends object = Record<string, unknown>>(
  orm: Orm,
  statement: SQL
): Promise<Row[]> {
  const result: unknown = await orm.execute(statement)
  return [...(Array.isArray(result) ? result : (result as { rows: unknown[] }).rows)] as Row[]
}

/** Settings of each connection to PostgreSQL. */
export const postgresSettings = {
  // The driver's own pauses grow to 20 s: requests would wait although the database is back.
  backoff: (attempts: number) => Math.min(2 ** attempts / 100, 0.5),
  // Prepared statements belong to a connection, and a pooler in transaction mode changes connections at any time.
  prepare: false,
  // Array types are not used. Looking them up would delay the first query of every connection.
  fetch_types: false,
  onnotice: () => {}
}

async function openPostgres(url: string, options: DatabaseOptions): Promise<Database> {
  const [{ default: postgres }, { drizzle }] = await Promise.all([
    import('postgres'),
    import('drizzle-orm/postgres-js')
  ])
  const settings = {
    ...postgresSettings,
    max: options.poolSize ?? 10,
    connect_timeout: (options.connectTimeoutMs ?? 5000) / 1000,
    ...(!hasSeveralHosts(url) && { socket: openSocket })
  }
  const client = postgres(url, settings)
  return { orm: drizzle(client), connections: settings.max, close: () => client.end({ timeout: 5 }) }
}
