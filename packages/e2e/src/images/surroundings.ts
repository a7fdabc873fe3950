import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { startModels } from '@tollgate/sandbox/models/start-models.ts'
import { startPayments } from '@tollgate/sandbox/payments/start-payments.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'

/** What the services need around them, on loopback. */
export interface Surroundings extends AsyncDisposable {
  readonly controlUrl: string
  readonly gatewayUrl: string
  readonly controlVariables: Readonly<Record<string, string>>
  readonly gatewayVariables: Readonly<Record<string, string>>
  /** Signs a user in at control and creates an inference key. @returns its secret */
  createKey(): Promise<string>
}

/**
 * Starts a real Redis and PostgreSQL, and the embedded servers for identity, payments and models.
 *
 * @param directory for the data of Redis
 * @throws Error if PostgreSQL is not installed
 */
export async function startSurroundings(directory: string): Promise<Surroundings> {
  await using parts = new AsyncDisposableStack()
  const redis = await startRedis({ port: 0, dataDir: join(directory, 'redis') })
  parts.defer(() => redis.stop())
  const postgres = await startPostgres({ fsync: true })
  if (postgres === null) throw new Error('PostgreSQL is not installed')
  parts.defer(() => postgres.stop())
  const models = await startModels({ port: 0, apiKey: 'sandbox' })
  parts.defer(() => models.close())

  const [control, controlAdmin, gateway, gatewayAdmin] = [
    String(await freePort()),
    String(await freePort()),
    String(await freePort()),
    String(await freePort())
  ]
  const controlUrl = `http://127.0.0.1:${control}`
  const secret = () => randomBytes(24).toString('base64url')
  const keys = { anonKey: `sb_publishable_${secret()}`, serviceRoleKey: `sb_secret_${secret()}` }
  const identity = await startIdentity({ port: 0, mailboxPort: 0, siteUrl: controlUrl, ...keys })
  parts.defer(() => identity.close())
  const payments = { apiKey: `sk_test_${secret()}`, webhookSecret: `whsec_${secret()}` }
  const paymentsServer = await startPayments({
    port: 0,
    apiKey: payments.apiKey,
    webhook: { url: `${controlUrl}/api/billing/webhook`, secrets: [payments.webhookSecret] }
  })
  parts.defer(() => paymentsServer.close())

  const stack = parts.move()
  return {
    controlUrl,
    gatewayUrl: `http://127.0.0.1:${gateway}`,
    controlVariables: {
      CONTROL_PORT: control,
      CONTROL_ADMIN_PORT: controlAdmin,
      PUBLIC_URL: controlUrl,
      GATEWAY_PUBLIC_URL: `http://127.0.0.1:${gateway}`,
      DATABASE_URL: postgres.url,
      AUTO_MIGRATE: 'false',
      REDIS_URL: redis.url,
      SUPABASE_URL: identity.url,
      SUPABASE_ANON_KEY: keys.anonKey,
      SUPABASE_SERVICE_ROLE_KEY: keys.serviceRoleKey,
      STRIPE_SECRET_KEY: payments.apiKey,
      STRIPE_WEBHOOK_SECRET: payments.webhookSecret,
      STRIPE_API_BASE: paymentsServer.url
    },
    gatewayVariables: {
      GATEWAY_PORT: gateway,
      GATEWAY_ADMIN_PORT: gatewayAdmin,
      REDIS_URL: redis.url,
      OPENAI_BASE_URL: models.baseUrl,
      OPENAI_API_KEY: 'sandbox'
    },
    async createKey() {
      const person = { email: 'ada@example.com', password: 'correct horse battery staple' }
      const { auth } = createClient(identity.url, keys.serviceRoleKey, { auth: { persistSession: false } })
      const { error } = await auth.admin.createUser({
        ...person,
        email_confirm: true,
        app_metadata: { plan: 'enterprise' }
      })
      if (error !== null) throw error
      const login = await post(`${controlUrl}/api/auth/login`, person)
      const cookie = login.headers.getSetCookie().map((one) => one.split(';')[0])
      const created = await post(`${controlUrl}/api/keys`, { label: 'smoke test' }, { cookie: cookie.join('; ') })
      return ((await created.json()) as { key: { value: string } }).key.value
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync()
  }
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body)
  })
  assert.ok(answer.ok, `${url}: ${answer.status}`)
  return answer
}
