import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { type SQL, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import { createMailboxes } from '../signup/mailbox.ts'
import { anonKey, serviceRoleKey, stripeKey, webhookSecret } from '../testing/control-options.ts'
import { adminListening, listening, runControl } from '../testing/control-program.ts'
import { newServerDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { startIdentityProxy } from '../testing/identity-proxy.ts'
import { adoptUser } from '../users/adopt-user.ts'
import { storeCustomer } from './customers.ts'
import { startCatalogPayments } from './testing/start-billing.ts'
import { catalog } from './testing/subscriptions.ts'

test('control that is killed at any step of a refresh completes it after its next start, without another event', async (t) => {
  const databaseUrl = await newServerDatabase(t)
  if (databaseUrl === null) return
  const redis = await leaseRedis()
  t.after(() => redis.giveBack())
  const keys = { anonKey, serviceRoleKey }
  const identity = await startIdentity({ port: 0, mailboxPort: 0, siteUrl: 'http://localhost:3000', ...keys })
  t.after(() => identity.close())
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  proxy.target = identity.url
  const payments = await startCatalogPayments()
  t.after(() => payments.close())
  // Two are held while others are asked.
  const database = await openMigratedDatabase(databaseUrl, 4)
  t.after(() => database.close())
  const { orm } = database
  const link = connectServer(redis.url, { name: 'test', silenceTimeoutMs: 30_000, onError: () => {} })
  t.after(() => link.close())
  const admin = createClient(identity.url, serviceRoleKey, { auth: { persistSession: false } }).auth.admin
  const stripe = new Stripe(stripeKey, { host: '127.0.0.1', port: payments.port, protocol: 'http', telemetry: false })

  const start = () =>
    runControl(t, {
      CONTROL_PORT: '0',
      PUBLIC_URL: 'http://localhost:3000',
      SUPABASE_URL: proxy.url,
      SUPABASE_ANON_KEY: anonKey,
      SUPABASE_SERVICE_ROLE_KEY: serviceRoleKey,
      STRIPE_SECRET_KEY: stripeKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: payments.url,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url
    })

  /** A user who has just bought the plan pro; control has not received the event. */
  async function newPayer(): Promise<{ id: string; deliver(url: string): void }> {
    const email = `${randomBytes(8).toString('hex')}@example.com`
    const { data, error } = await admin.createUser({ email, email_confirm: true })
    if (error !== null) throw error
    const { id } = data.user
    const seen = { id, email, name: '', plan: null, isOperator: false, operatorRoles: null, isBanned: false }
    await orm.transaction((tx) =>
      adoptUser(tx, { catalog, mailboxes: createMailboxes(serviceRoleKey) }, id, seen, new Date())
    )
    const customer = await stripe.customers.create({ metadata: { account_id: id } })
    await storeCustomer(orm, id, customer.id, { now: new Date(), replaces: null })
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      line_items: [{ price: 'price_pro_monthly', quantity: 1 }],
      success_url: 'http://localhost:3000/'
    })
    payments.controls.pay(session.id)
    const payload = JSON.stringify({
      id: `evt_${randomBytes(8).toString('hex')}`,
      type: 'checkout.session.completed',
      data: { object: { customer: customer.id } }
    })
    const headers = { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret }) }
    return {
      id,
      // No answer arrives: the process is killed.
      deliver: (url) =>
        void fetch(`${url}/api/billing/webhook`, { method: 'POST', body: payload, headers }).catch(() => undefined)
    }
  }

  const isTrue = async (condition: SQL) => {
    const [row] = await queryRows<{ is: boolean }>(orm, sql`select (${condition}) as is`)
    return row?.is === true
  }
  async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 60_000
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new Error(`never: ${what}`)
      await delay(20)
    }
  }
  const isWaitingForLock = (count: number) =>
    isTrue(
      sql`(select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') >= ${count}`
    )
  const planOf = (id: string, plan: string) => isTrue(sql`(select plan from accounts where id = ${id}) = ${plan}`)
  /** Locks rows. @returns a function that unlocks them */
  async function hold(rows: SQL): Promise<() => Promise<unknown>> {
    const lock = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const holding = orm.transaction(async (tx) => {
      await tx.execute(rows)
      lock.resolve()
      await end.promise
    })
    await lock.promise
    return () => {
      end.resolve()
      return holding
    }
  }
  /** Ends leases and makes due customers due now, as if time had passed. */
  async function passLeases(): Promise<void> {
    await orm.execute(sql`update plan_writes set lease_ends_at = null`)
    await orm.execute(sql`update customers set lease_ends_at = null`)
    await orm.execute(sql`update customers set due_at = now() - interval '1 s' where due_at is not null`)
  }

  const first = start()
  const [url, adminUrl] = [await listening(first), await adminListening(first)]
  const [reading, deciding, writing, committed] = [
    await newPayer(),
    await newPayer(),
    await newPayer(),
    await newPayer()
  ]

  // Each process is killed during a step, from the last step to the first.
  const putting = Promise.withResolvers<void>()
  proxy.after = async (call) => {
    if (!call.startsWith('PUT')) return
    putting.resolve()
    await new Promise<never>(() => {})
  }
  await until('Redis is up to date', async () => (await fetch(`${adminUrl}/readyz`)).status === 200)
  await redis.kill('SIGSTOP')
  committed.deliver(url)
  await until('the result is committed but not in Redis', () => planOf(committed.id, 'pro'))
  // The identity provider has stored the plan, but control does not know.
  await putting.promise
  const releases = [await hold(sql`select from accounts where id = ${writing.id} for update`)]
  writing.deliver(url)
  await until('the change is being written', () => isWaitingForLock(1))
  releases.push(await hold(sql`select from users where id = ${deciding.id} for update`))
  deciding.deliver(url)
  await until('the result is being stored', () => isWaitingForLock(2))
  payments.controls.failNext({ path: '/v1/subscriptions', delay_ms: 60_000, count: 100 })
  reading.deliver(url)
  await until('a third customer is leased and read at the provider', () =>
    isTrue(sql`(select count(*) from customers where lease_ends_at is not null) = 3`)
  )
  first.child.kill('SIGKILL')
  await first.ended

  for (const { id } of [reading, deciding, writing]) assert.ok(await planOf(id, 'free'))
  await redis.kill('SIGCONT')
  for (const release of releases) await release()
  payments.controls.clearFailures()

  proxy.after = async () => {}
  await passLeases()

  const second = start()
  const startedAt = performance.now()
  await listening(second)
  const everybody = [reading, deciding, writing, committed]
  const isSettled = async () => {
    for (const { id } of everybody) {
      const record = await link.client.hget(accountName(id), 'r')
      if (record === null || readAccountRecord(record).plan !== 'pro') return false
      if ((await admin.getUserById(id)).data.user?.app_metadata.plan !== 'pro') return false
      if (!(await planOf(id, 'pro'))) return false
    }
    return isTrue(
      sql`not exists (select from customers where due_at is not null or plan <> 'pro')
        and not exists (select from plan_writes where pending)`
    )
  }
  await until('everything agrees', isSettled)
  t.comment(`everything agrees ${Math.round(performance.now() - startedAt)} ms after the start`)
  const rows = await queryRows(
    orm,
    sql`
      select account_id as id, action, count(*)::int as count from audit_log
      where action in ('plan.changed', 'subscription.changed') group by account_id, action`
  )
  assert.equal(rows.length, 2 * everybody.length)
  for (const { count } of rows) assert.equal(count, 1)
  const [events] = await queryRows<{ count: number }>(orm, sql`select count(*)::int as count from billing_events`)
  assert.equal(events!.count, 1, 'only the committed event counts as processed')
})
