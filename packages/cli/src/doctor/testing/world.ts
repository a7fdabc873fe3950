import { mkdirSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { openDatabase } from '@tollgate/control/database/connect.ts'
import { createDatabase } from '@tollgate/control/testing/create-database.ts'
import { openMigratedDatabase } from '@tollgate/control/testing/databases.ts'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { createServers, json, type Keep, keys, type Servers, startServer } from './servers.ts'

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
    ...{ ...servers, cwd, models, write },
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
