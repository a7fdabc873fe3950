import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
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
      ...{ redis: redis.url, database: postgres.url, identity: identity.url },
      ...{ payments: payments.url, models: models.url }
    }),
    stop: () => parts.disposeAsync()
  }
}
