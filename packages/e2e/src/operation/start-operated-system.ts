import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { choosePorts } from '@tollgate/cli/system/ports.ts'
import { type System, startSystem } from '@tollgate/cli/system/system.ts'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { type RunningPostgres, startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { Sql } from 'postgres'
import postgres from 'postgres'
import { type RedisServer, startRedisServer } from '../chaos/system/redis-servers.ts'

const run = promisify(execFile)
const program = fileURLToPath(import.meta.resolve('@tollgate/cli/tollgate/run-tollgate.ts'))

/** A system that an operator works on: each service can be replaced, with other variables or another release. */
export interface OperatedSystem {
  readonly system: System
  readonly postgres: RunningPostgres
  readonly redis: RedisServer
  /** Directly to the database. */
  readonly sql: Sql
  /** Directly to Redis. */
  readonly link: RedisLink
  /** For files of the test. */
  readonly directory: string
  /** The variables of the next start of a part, by its name. They override the others. */
  readonly variables: Map<string, Record<string, string>>
  /** The program of the next start of a part, by its name. */
  readonly scripts: Map<string, string>
  /** The latest log lines of the services, without requests. */
  readonly lines: string[]
}

export interface OperatedOptions {
  /** Variables of all parts. */
  readonly env?: Readonly<Record<string, string>>
  readonly variables?: ReadonlyMap<string, Record<string, string>>
  readonly scripts?: ReadonlyMap<string, string>
  /** Settings of PostgreSQL. */
  readonly settings?: Readonly<Record<string, string>>
  readonly directory?: string
}

const maxLines = 200
/** The timeout of a test decides, however busy the machine is. */
const readyTimeoutMs = 600_000
const serviceNames = ['control', 'control-2', 'gateway', 'gateway-2'] as const
export type ServiceName = (typeof serviceNames)[number]

/**
 * Starts two replicas of control and two gateways on a real PostgreSQL and a real Redis, with embedded servers for the
 * rest.
 *
 * @returns null without a Redis program or PostgreSQL on this machine
 */
export async function startOperatedSystem(
  t: { teardown(handler: () => Promise<void>): void },
  options: OperatedOptions = {}
): Promise<OperatedSystem | null> {
  const program = findRedisServer(process.env)
  if (program === null) return null
  await using parts = new AsyncDisposableStack()
  const database = await startPostgres({ settings: { max_connections: '100', ...options.settings } })
  if (database === null) return null
  parts.defer(() => database.stop())
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-operated-'))
  parts.defer(() => rmSync(directory, { recursive: true }))
  const redis = await startRedisServer(program, directory)
  parts.defer(() => redis.stop())

  const variables = new Map(options.variables)
  const scripts = new Map(options.scripts)
  const lines: string[] = []
  const { PATH, HOME } = process.env
  const system = await startSystem({
    readyTimeoutMs,
    env: {
      PATH,
      HOME,
      ...nodeVariables(),
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      TRUST_PROXY: 'loopback',
      ...options.env
    },
    envOf: (part) => variables.get(part) ?? {},
    scriptOf: (part) => scripts.get(part),
    ports: await choosePorts(),
    dataDir: join(directory, 'data'),
    controls: 2,
    gateways: 2,
    onLine(part, line) {
      if (line.includes('"msg":"request"')) return
      lines.push(`${part}: ${line}`)
      if (lines.length > maxLines) lines.shift()
    }
  })
  parts.defer(() => system.stop())
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  parts.defer(() => sql.end())
  const link = connectRedis(redis.url, { name: 'tollgate-test', silenceTimeoutMs: 60_000, onError: () => {} })
  parts.defer(() => link.close())
  const started = parts.move()
  t.teardown(() => started.disposeAsync())
  return { system, postgres: database, redis, sql, link, directory, variables, scripts, lines }
}

/** Replaces services one after the other, as a rolling update does. */
export async function replaceOneByOne(
  { system, variables }: Pick<OperatedSystem, 'system' | 'variables'>,
  change: Readonly<Record<string, string>>,
  names: readonly ServiceName[] = serviceNames
): Promise<void> {
  for (const name of names) {
    variables.set(name, { ...variables.get(name), ...change })
    await system.part(name).restart()
  }
}

/** Runs `tollgate` with only these variables. @returns what it printed and its exit status */
export async function runTollgate(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  cwd: string
): Promise<{ status: number; text: string }> {
  const { PATH, HOME } = process.env
  const options = { cwd, env: { PATH, HOME, ...variables } }
  try {
    const { stdout, stderr } = await run(process.execPath, [program, ...args], options)
    return { status: 0, text: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { status: code, text: stdout + stderr }
  }
}

/** PostgreSQL's programs for backups, as an operator calls them. */
export interface PostgresTools {
  /** `pg_dump` in the custom format. */
  dump(url: string, file: string): Promise<void>
  /** `pg_restore` into an empty database, in one transaction. */
  restore(url: string, file: string): Promise<void>
  /** Runs a statement with `psql`. */
  query(url: string, statement: string): Promise<string>
}

/** @returns null if a program is not installed */
export function findPostgresTools(): PostgresTools | null {
  const [pgDump, pgRestore, psql] = ['pg_dump', 'pg_restore', 'psql'].map((name) => findProgram([name]))
  if (pgDump == null || pgRestore == null || psql == null) return null
  return {
    async dump(url, file) {
      await run(pgDump, ['--format=custom', `--file=${file}`, url])
    },
    async restore(url, file) {
      await run(pgRestore, ['--single-transaction', '--exit-on-error', '--no-owner', `--dbname=${url}`, file])
    },
    async query(url, statement) {
      const { stdout } = await run(psql, ['--no-psqlrc', '--tuples-only', '--no-align', '-c', statement, url])
      return stdout.trim()
    }
  }
}
