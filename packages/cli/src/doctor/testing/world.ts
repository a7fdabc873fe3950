import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { openDatabase } from '@tollgate/control/database/connect.ts'
import { createDatabase } from '@tollgate/control/testing/create-database.ts'
import { openMigratedDatabase } from '@tollgate/control/testing/databases.ts'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import type { CommandIo } from '../../commands/command.ts'
import { doctor } from '../doctor-command.ts'
import type { Finding, Result } from '../results.ts'
import { createServers, json, type Keep, keys, mailPassword, type Servers, startServer } from './servers.ts'

/** A port of this machine where nothing listens. `fetch` refuses some others, such as 1 and 9. */
export const deadPort = 2

export type Env = Record<string, string | undefined>

/** Everything that a right configuration names, running on this machine. */
export interface World extends Servers {
  /** A right configuration. */
  readonly env: Env
  readonly cwd: string
  readonly models: RunningModels
  startServer(answer: RequestListener): Promise<string>
  /** Creates a database without tables. @returns its URL */
  emptyDatabase(): Promise<string>
  /** Runs statements as superuser in the database of `env`. */
  sql(...statements: string[]): Promise<void>
  /** Writes a file into `cwd`. @returns its path */
  write(name: string, text: string): string
}

export const catalogYaml = `
models:
  small: { kind: chat, owned_by: test, created: 0, route: [{ upstream: main, model: sandbox-small }],
    usd_per_million_tokens: { input: 1, output: 2 }, context_window: 1000, max_output_tokens: 100 }
plans:
  free: { name: Free, entitlements: [], key_quota: 1, seats: 1, models: all, caps_usd: { request: 1, month: 1 },
    limits: { requests_per_minute: 10, tokens_per_minute: 10000, concurrent_requests: 1 } }
  pro: { name: Pro, entitlements: [], key_quota: 1, seats: 1, models: all, caps_usd: { request: 1, month: 1 },
    limits: { requests_per_minute: 10, tokens_per_minute: 10000, concurrent_requests: 1 },
    prices: [{ id: price_month, interval: month, amount: 2000, currency: usd },
      { id: price_year, interval: year, amount: 20000, currency: usd }] }
`

export const upstreamsYaml = (baseUrl: string) => `
upstreams:
  main: { base_url: '${baseUrl}', credential_variable: MAIN_API_KEY }
`

interface Test {
  testdir(): string
  after(stop: () => Promise<void>): void
}

/** Starts a world, which ends with the test. @returns null if the machine has no PostgreSQL or no Redis */
export async function startWorld(t: Test): Promise<World | null> {
  const cwd = t.testdir()
  const keep = keepUntilEnd(t)
  const program = findRedisServer(process.env)
  const postgres = await startPostgres({ fsync: true })
  if (postgres !== null) keep(postgres, () => postgres.stop())
  if (postgres === null || program === null) return null
  const databaseUrl = await createDatabase(postgres.url)
  await (await openMigratedDatabase(databaseUrl)).close()

  const write = (name: string, text: string): string => {
    const path = join(cwd, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const publicUrl = await startServer(json({ '/livez': [200, { ok: true, version: '0' }] }), keep)
  const gatewayUrl = await startServer(json({ '/v1/models': [401, { error: { code: 'missing_api_key' } }] }), keep)
  const catalogFile = write('catalog.yaml', catalogYaml)
  const servers = createServers({ publicUrl, catalogFile, cwd, program, keep })
  const [identity, payments, models, redis] = await Promise.all([
    servers.startIdentity(),
    servers.startPayments(),
    startModels({ port: 0, apiKey: keys.modelsKey, strict: true }),
    servers.startRedis()
  ])
  keep(models, models.close)
  mkdirSync(join(cwd, 'dashboard'))
  write('dashboard/index.html', '<!doctype html>')
  return {
    ...servers,
    cwd,
    models,
    write,
    startServer: (answer) => startServer(answer, keep),
    emptyDatabase: () => createDatabase(postgres.url),
    sql: (...statements) => runStatements(databaseUrl, statements),
    env: {
      PUBLIC_URL: publicUrl,
      GATEWAY_PUBLIC_URL: gatewayUrl,
      SUPABASE_URL: identity.url,
      SUPABASE_ANON_KEY: keys.anonKey,
      SUPABASE_SERVICE_ROLE_KEY: keys.serviceRoleKey,
      IDENTITY_WEBHOOK_SECRET: 'a-secret-of-the-webhook',
      STRIPE_SECRET_KEY: keys.stripeKey,
      STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
      STRIPE_API_BASE: payments.url,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      CATALOG_FILE: catalogFile,
      UPSTREAMS_FILE: write('upstreams.yaml', upstreamsYaml(models.baseUrl)),
      MAIN_API_KEY: keys.modelsKey,
      DASHBOARD_DIR: join(cwd, 'dashboard')
    }
  }
}

function keepUntilEnd(t: Test): Keep {
  const stops: Array<() => Promise<unknown>> = []
  t.after(async () => {
    await Promise.all(stops.map((stop) => stop()))
  })
  return (part, stop) => {
    stops.push(stop)
    return part
  }
}

async function runStatements(databaseUrl: string, statements: readonly string[]): Promise<void> {
  const { orm, close } = await openDatabase(databaseUrl, { poolSize: 1 })
  for (const statement of statements) await orm.execute(statement)
  await close()
}

/** Runs the command. */
export async function runDoctor(env: Env, cwd: string, ...args: string[]) {
  let out = ''
  let err = ''
  const io: CommandIo = {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    env,
    cwd,
    isTerminal: false,
    ask: () => assert.fail('doctor asks nothing')
  }
  return { code: await doctor.run(args, io), out, err }
}

interface Report {
  ok: boolean
  errors: number
  warnings: number
  results: Result[]
}

/** Runs the command, and reads its report. */
export async function readFindings(env: Env, cwd: string) {
  const { code, out, err } = await runDoctor(env, cwd, '--json')
  assert.equal(err, '')
  const { results, errors } = JSON.parse(out) as Report
  const findings = results.filter((result): result is Finding => 'code' in result)
  return { findings, results, errors, code, out }
}

/** One wrong thing, and what the check has to say about it. */
export interface Fault {
  readonly name: string
  /** The codes of all findings, in the order of the report. */
  readonly codes: readonly string[]
  /** Makes it wrong. @returns the changed variables, and a function that makes it right again */
  make(world: World): Promise<Env | { env: Env; undo(): Promise<void> }>
}

/** A fault of variables alone. */
export const withEnv = (name: string, codes: readonly string[], change: Env): Fault => ({
  name,
  codes,
  make: async () => change
})

/** Makes these faults at once. Doctor must find exactly them, explain each, and print no secret. */
export async function assertFound(world: World, faults: readonly Fault[]): Promise<void> {
  const { env, cwd } = world
  const changes: Env = {}
  const undone: Array<() => Promise<void>> = []
  try {
    for (const { make } of faults) {
      const made = await make(world)
      const isUndone = 'undo' in made && typeof made.undo === 'function'
      const { env: change, undo } = isUndone ? (made as { env: Env; undo(): Promise<void> }) : { env: made as Env }
      Object.assign(changes, change)
      if (undo !== undefined) undone.push(undo)
    }
    const { findings, code, out, errors } = await readFindings({ ...env, ...changes }, cwd)
    assert.deepEqual(
      findings.map((finding) => finding.code),
      faults.flatMap(({ codes }) => codes),
      JSON.stringify(findings, null, 2)
    )
    assert.equal(code, errors === 0 ? 0 : 1)
    for (const { what, why, fix } of findings) for (const text of [what, why, fix]) assert.match(text, /\S/)
    for (const secret of [...Object.values(keys), 'password-of-redis', 'mistaken-word-of-redis', mailPassword]) {
      assert.ok(!out.includes(secret), `the report contains ${secret.slice(0, 8)}…`)
    }
  } finally {
    for (const undo of undone) await undo()
  }
}
