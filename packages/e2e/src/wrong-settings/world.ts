import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { startModels } from '@tollgate/sandbox/models/start-models.ts'
import { startPayments } from '@tollgate/sandbox/payments/start-payments.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'

/** The services that control and the gateway use, with right settings for both. */
export interface World {
  /** `redis://:<password>@127.0.0.1:<port>` */
  readonly redisUrl: string
  /** `postgres://postgres@127.0.0.1:<port>/postgres` */
  readonly databaseUrl: string
  /** A port that another program uses. */
  readonly takenPort: number
  /** A port on which nothing listens. */
  readonly closedPort: number
  /** An address of a server that is not Supabase. */
  readonly otherServer: string
  readonly control: Readonly<Record<string, string>>
  readonly gateway: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** Every secret contains this text, so that a test can look for it in all messages. */
export const secretMark = 'hunter2'
export const webhookSecret = `whsec_${secretMark}_of_the_endpoint`

const keys = { anonKey: `anon-${secretMark}`, serviceRoleKey: `service-${secretMark}` }
const stripeKey = `sk_test_${secretMark}`

/** Right settings of both services, with these addresses of the servers that they use. */
export const rightSettings = (urls: Record<'redis' | 'database' | 'identity' | 'payments' | 'models', string>) => ({
  control: {
    PUBLIC_URL: 'http://localhost:3000',
    SUPABASE_URL: urls.identity,
    SUPABASE_ANON_KEY: keys.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: keys.serviceRoleKey,
    STRIPE_SECRET_KEY: stripeKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: urls.payments,
    DATABASE_URL: urls.database,
    REDIS_URL: urls.redis
  },
  gateway: {
    REDIS_URL: urls.redis,
    OPENAI_API_KEY: `sk-${secretMark}`,
    OPENAI_BASE_URL: `${urls.models}/v1`
  }
})

/** @returns null if PostgreSQL is not installed */
export async function startWorld(directory: string): Promise<World | null> {
  const parts = new AsyncDisposableStack()
  // PostgreSQL may run as another user.
  chmodSync(directory, 0o755)
  const hba = join(directory, 'pg_hba.conf')
  writeFileSync(hba, 'host all app 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n', { mode: 0o644 })
  const postgres = await startPostgres({ settings: { hba_file: hba } })
  if (postgres === null) return null
  parts.defer(() => postgres.stop())
  const redis = await startRedis({ port: 0, password: secretMark })
  parts.defer(() => redis.stop())
  const identity = await startIdentity({ port: 0, mailboxPort: 0, siteUrl: 'http://localhost:3000', ...keys })
  parts.defer(() => identity.close())
  const payments = await startPayments({ port: 0, apiKey: stripeKey })
  parts.defer(() => payments.close())
  const models = await startModels({ port: 0, apiKey: `sk-${secretMark}` })
  parts.defer(() => models.close())
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  parts.defer(() => void other.close())
  const { port: takenPort } = other.address() as { port: number }
  return {
    redisUrl: redis.url,
    databaseUrl: postgres.url,
    takenPort,
    closedPort: await freePort(),
    otherServer: payments.url,
    ...rightSettings({
      redis: redis.url,
      database: postgres.url,
      identity: identity.url,
      payments: payments.url,
      models: models.url
    }),
    stop: () => parts.disposeAsync()
  }
}

/** A service that runs as a process with given variables. */
export interface RunningService {
  /** Its output so far. */
  output(): string
  /** Resolves with the exit status when it ends. */
  readonly ended: Promise<number | null>
  /** The port for `/api`; null for a gateway. */
  readonly port: number
  /** Status and details of `/readyz`; null while it does not answer. */
  readyz(): Promise<{ status: number; details: Record<string, unknown> } | null>
  stop(): Promise<void>
}

/** Starts a service on free ports with only these variables. */
export async function runService(
  service: 'control' | 'gateway',
  env: Readonly<Record<string, string>>
): Promise<RunningService> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const ports =
    service === 'control'
      ? { CONTROL_PORT: String(port), CONTROL_ADMIN_PORT: String(adminPort) }
      : { GATEWAY_PORT: String(port), GATEWAY_ADMIN_PORT: String(adminPort) }
  const script = fileURLToPath(import.meta.resolve(`@tollgate/${service}/main.ts`))
  const child = spawn(process.execPath, [script], {
    env: { ...nodeVariables(), ...ports, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
  const probe = `http://127.0.0.1:${adminPort}/readyz`
  return {
    output: () => output,
    ended,
    port,
    async readyz() {
      try {
        const answer = await fetch(probe)
        return { status: answer.status, details: (await answer.json()) as Record<string, unknown> }
      } catch {
        return null
      }
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    }
  }
}

/**
 * Waits until a check returns a value.
 *
 * @throws Error with the service's output if the service ends before, or after a minute
 */
export async function until<Value>(
  service: RunningService,
  what: string,
  check: () => Promise<Value | null> | Value | null
): Promise<Value> {
  const deadline = performance.now() + 60_000
  let hasEnded = false
  void service.ended.then(() => {
    hasEnded = true
  })
  for (;;) {
    const value = await check()
    if (value !== null) return value
    if (hasEnded || performance.now() > deadline) throw new Error(`${what}: not seen in:\n${service.output()}`)
    await delay(30)
  }
}
