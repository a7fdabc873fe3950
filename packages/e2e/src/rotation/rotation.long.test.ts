import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import postgres from 'postgres'
import t from 'tap'
import {
  type OperatedSystem,
  replaceOneByOne,
  type ServiceName,
  startOperatedSystem
} from '../operation/start-operated-system.ts'
import { balancedFetch, type SteadyRequests, startSteadyRequests } from '../operation/steady-requests.ts'
import { Person } from '../person.ts'
import { type CredentialProxy, startCredentialProxy } from './credential-proxy.ts'

const controls: readonly ServiceName[] = ['control', 'control-2']
const gateways: readonly ServiceName[] = ['gateway', 'gateway-2']
/** As on docs/operate/rotate-credentials.md. */
const newRole = `
  create role tollgate_b login password 'password-b' in role tollgate_a;
  alter role tollgate_b set role tollgate_a`
const firstRole = `
  create role tollgate_a login password 'password-a';
  grant usage on schema public to tollgate_a;
  grant select, insert, update, delete on all tables in schema public to tollgate_a;
  grant usage on all sequences in schema public to tollgate_a;
  grant execute on all functions in schema public to tollgate_a`

/** Writes the upstreams file with a credential in a file. @returns the path of each */
function writeUpstreams(directory: string, provider: CredentialProxy): { upstreams: string; credential: string } {
  const credential = join(directory, 'model-key')
  writeFileSync(credential, 'models-a')
  const upstreams = join(directory, 'upstreams.yaml')
  writeFileSync(
    upstreams,
    `upstreams:\n  openai: { base_url: '${provider.url}/v1', credential_file: '${credential}', timeouts_ms: { connect: 5000, first_byte: 60000, between_chunks: 60000 } }\n`
  )
  return { upstreams, credential }
}

const withPassword = (url: string, user: string, password: string): string => {
  const changed = new URL(url)
  Object.assign(changed, { username: user, password })
  return changed.href
}

t.test('every credential is replaced while requests are served', { timeout: 600_000 }, async (t) => {
  if (!need(t, 'redis-server', findRedisServer(process.env)) || !need(t, 'PostgreSQL', findPostgres(process.env)))
    return
  let models: RunningModels | null = null
  let operated: OperatedSystem | null = null
  const [ofModels, ofIdentity, ofPayments] = await Promise.all([
    startCredentialProxy(() => models!.url),
    startCredentialProxy(() => operated!.system.addresses.identity),
    startCredentialProxy(() => operated!.system.addresses.payments!)
  ])
  t.teardown(() => Promise.all([ofModels, ofIdentity, ofPayments].map((proxy) => proxy.close())))
  models = await startModels({ port: 0 })
  t.teardown(() => models!.close())
  ofModels.accept('models-a', 'sandbox')
  const directory = t.testdir()
  const { upstreams, credential } = writeUpstreams(directory, ofModels)
  const hba = join(directory, 'pg_hba.conf')
  writeFileSync(hba, 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n')
  operated = (await startOperatedSystem(t, { settings: { hba_file: hba }, env: { UPSTREAMS_FILE: upstreams } }))!
  const { system, redis, sql, postgres: database } = operated
  const { secrets, addresses } = system

  // Until here, the services use the test's own credentials. From here on, each has one of the kind that an operator
  // has.
  await redis.ask((client) => client.call('ACL', 'SETUSER', 'tollgate', 'on', '>password-a', '~*', '&*', '+@all'))
  await sql.unsafe(firstRole)
  ofIdentity.accept('sb_secret_a', secrets.serviceRoleKey)
  ofIdentity.accept('sb_publishable_a', secrets.anonKey)
  ofPayments.accept('sk_test_a', secrets.stripeKey)
  const ofRedis = { REDIS_URL: withPassword(redis.url, 'tollgate', 'password-a') }
  await replaceOneByOne(operated, ofRedis, gateways)
  await replaceOneByOne(
    operated,
    {
      ...ofRedis,
      SUPABASE_URL: ofIdentity.url,
      SUPABASE_JWT_ISSUER: `${addresses.identity}/auth/v1`,
      STRIPE_API_BASE: ofPayments.url,
      AUTO_MIGRATE: 'false',
      DATABASE_URL: withPassword(database.url, 'tollgate_a', 'password-a'),
      SUPABASE_SERVICE_ROLE_KEY: 'sb_secret_a',
      SUPABASE_ANON_KEY: 'sb_publishable_a',
      STRIPE_SECRET_KEY: 'sk_test_a',
      STRIPE_WEBHOOK_SECRET: 'whsec_of_the_test_a',
      IDENTITY_WEBHOOK_SECRET: 'identity-webhook-a'
    },
    controls
  )
  const ada = await new Person(system, 'ada').join('enterprise')
  const { value } = (await ada.createKey('steady')).body.key
  const steady = startSteadyRequests(operated, () => [value], ada)
  t.after(() => steady.stop())
  const settled = () => assertServed(steady)
  await settled()

  await t.test(
    'Redis: two passwords of a user at once; PostgreSQL: a second role with the rights of the first',
    async () => {
      await redis.ask((client) => client.call('ACL', 'SETUSER', 'tollgate', '>password-b'))
      await sql.unsafe(newRole)
      const ofRedis = { REDIS_URL: withPassword(redis.url, 'tollgate', 'password-b') }
      await replaceOneByOne(operated, ofRedis, gateways)
      const ofDatabase = { DATABASE_URL: withPassword(database.url, 'tollgate_b', 'password-b') }
      await replaceOneByOne(operated, { ...ofRedis, ...ofDatabase }, controls)
      await redis.ask((client) => client.call('ACL', 'SETUSER', 'tollgate', '<password-a'))
      await assert.rejects(
        redis.ask((client) => client.auth('tollgate', 'password-a')),
        /WRONGPASS/
      )
      await sql.unsafe('alter role tollgate_a nologin password null')
      const old = postgres(withPassword(database.url, 'tollgate_a', 'password-a'), { max: 1, onnotice: () => {} })
      await assert.rejects(old`select 1`)
      await old.end()
      const users = await sql<Array<{ user: string }>>`
      select distinct usename as user from pg_stat_activity where usename like 'tollgate%'`
      assert.deepEqual([...users], [{ user: 'tollgate_b' }])
      assert.equal((await ada.createKey('after the rotation')).status, 201)
      await settled()
    }
  )

  await t.test('Supabase and Stripe: keys and secrets of webhooks', async () => {
    ofIdentity.accept('sb_secret_b', secrets.serviceRoleKey)
    ofIdentity.accept('sb_publishable_b', secrets.anonKey)
    ofPayments.accept('sk_test_b', secrets.stripeKey)
    const webhooks = sendWebhooks(operated)
    webhooks.use('a')
    await webhooks.more(4)
    await replaceOneByOne(
      operated,
      {
        SUPABASE_SERVICE_ROLE_KEY: 'sb_secret_b',
        SUPABASE_ANON_KEY: 'sb_publishable_b',
        STRIPE_SECRET_KEY: 'sk_test_b',
        STRIPE_WEBHOOK_SECRET: 'whsec_of_the_test_b,whsec_of_the_test_a',
        IDENTITY_WEBHOOK_SECRET: 'identity-webhook-b,identity-webhook-a'
      },
      controls
    )
    for (const retired of ['sb_secret_a', 'sb_publishable_a']) ofIdentity.retire(retired)
    ofPayments.retire('sk_test_a')
    await webhooks.more(4)
    webhooks.use('b')
    await webhooks.more(4)
    await replaceOneByOne(
      operated,
      { STRIPE_WEBHOOK_SECRET: 'whsec_of_the_test_b', IDENTITY_WEBHOOK_SECRET: 'identity-webhook-b' },
      controls
    )
    await webhooks.more(4)
    await webhooks.stop()
    assert.deepEqual(webhooks.failures, [])
    webhooks.use('a')
    await webhooks.sendBoth(0)
    assert.deepEqual(webhooks.failures, ['stripe: 400', 'identity: 401'], 'the former secrets are refused')
    for (const control of addresses.controls) {
      // The same person signs in: Supabase checks the password, and Stripe makes a checkout page.
      const through = await new Person({ ...system, addresses: { ...addresses, control } }, 'bob').join()
      const body = { price_id: 'price_pro_monthly' }
      assert.equal((await through.call('POST', '/api/billing/checkout', body)).status, 200)
    }
    for (const [proxy, key] of [
      [ofIdentity, 'sb_secret_b'],
      [ofIdentity, 'sb_publishable_b'],
      [ofPayments, 'sk_test_b']
    ] as const) {
      assert.ok(proxy.uses(key) > 0, `${key} was used`)
    }
    await settled()
  })

  await t.test('a model provider: the content of credential_file, and SIGHUP', async () => {
    ofModels.accept('models-b', 'sandbox')
    writeFileSync(credential, 'models-b')
    for (const name of gateways) await system.part(name).kill('SIGHUP')
    const before = ofModels.uses('models-b')
    while (ofModels.uses('models-b') < before + 10) await delay(10)
    const ofOld = ofModels.uses('models-a')
    await steady.more(10)
    assert.equal(ofModels.uses('models-a'), ofOld, 'no new request has the former key')
    ofModels.retire('models-a')
    await settled()
  })

  await steady.stop()
  assert.deepEqual(steady.failures, [])
  t.comment(`${steady.served().chats} chats and ${steady.served().calls} calls of the API, none failed`)
})

async function assertServed(steady: SteadyRequests): Promise<void> {
  await steady.more(10)
  assert.deepEqual(steady.failures, [])
}

/** Sends webhooks of Stripe and Supabase, in turn, through the load balancer. */
function sendWebhooks({ system: { addresses } }: OperatedSystem) {
  const failures: string[] = []
  let letter: 'a' | 'b' = 'a'
  let sent = 0
  let isOver = false
  async function post(what: string, path: string, from: number, headers: Record<string, string>, body: string) {
    const request = { method: 'POST', path, headers: { 'content-type': 'application/json', ...headers }, body }
    const { status } = await balancedFetch(addresses.controls, from, request)
    if (status !== 200) failures.push(`${what}: ${status}`)
  }
  async function sendBoth(from: number): Promise<void> {
    const event = JSON.stringify({ id: `evt_${sent}`, object: 'event', type: 'product.created', data: { object: {} } })
    const at = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', `whsec_of_the_test_${letter}`).update(`${at}.${event}`).digest('hex')
    await post('stripe', '/api/billing/webhook', from, { 'stripe-signature': `t=${at},v1=${signature}` }, event)
    const id = crypto.randomUUID()
    const report = JSON.stringify({
      type: 'UPDATE',
      table: 'users',
      schema: 'auth',
      record: { id },
      old_record: { id }
    })
    await post('identity', '/api/auth/webhook', from, { authorization: `Bearer identity-webhook-${letter}` }, report)
    sent++
  }
  const sending = (async () => {
    // Providers send some each second. Without pauses, this would take most of the machine from the services that
    // start.
    while (!isOver) {
      await sendBoth(sent)
      await delay(100)
    }
  })()
  return {
    failures,
    sendBoth,
    use(next: 'a' | 'b') {
      letter = next
    },
    async more(count: number) {
      const enough = sent + count
      while (sent < enough && failures.length === 0) await delay(10)
    },
    async stop() {
      isOver = true
      await sending
    }
  }
}
