import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../../database/connect.ts'
import { serviceRoleKey } from '../../testing/control-options.ts'
import { adoptUser } from '../../users/adopt-user.ts'
import { storeCustomer } from '../customers.ts'
import { isSubscriptionLive } from '../plan-from-subscriptions.ts'
import type { History, Step } from './histories.ts'
import { deliver } from './start-billing.ts'
import type { startReplicas } from './start-replicas.ts'

type Replicas = NonNullable<Awaited<ReturnType<typeof startReplicas>>>
/** Events by customer: listing them at the provider would take longer with every customer. */
const eventsOf: Partial<Record<Step['do'], string[]>> = {
  buy: ['customer.subscription.created', 'checkout.session.completed'],
  switch: ['customer.subscription.updated'],
  'cancel later': ['customer.subscription.updated'],
  cancel: ['customer.subscription.deleted'],
  'fail to pay': ['invoice.payment_failed', 'customer.subscription.updated'],
  'set status': ['customer.subscription.updated']
}

interface TestEvent {
  id: string
  type: string
  data: { object: object }
}

/** Plays the history of one customer, from the first purchase to the final check. */
export async function playHistory(replicas: Replicas, { steps, ending, order }: History): Promise<void> {
  const { one, two, payments, stripe } = replicas
  const { controls } = payments
  const { orm } = one.database
  const admin = createClient(one.identity.url, serviceRoleKey, { auth: { persistSession: false } }).auth.admin
  const accountId = await newUser()
  const customer = await stripe.customers.create({ metadata: { account_id: accountId } })
  await storeCustomer(orm, accountId, customer.id, { now: new Date(), replaces: null })
  const subscriptions: string[] = []
  const events: TestEvent[] = []
  const deliveredIds = new Set<string>()
  let setPlan: string | null = null

  for (const step of steps) await take(step)
  const rest = events
    .filter(({ id }) => !deliveredIds.has(id))
    .map((event, index) => ({ event, at: order[index % 20]! }))
  if (ending === 'delivered') {
    // The last event always arrives, even if earlier ones were lost.
    rest.push({ event: crafted('customer.subscription.updated'), at: order[19]! })
    await deliverAll(rest.sort((a, b) => a.at - b.at).map(({ event }, index) => ({ event, replica: index % 2 })))
  } else {
    await compare()
  }
  await adoptPlan()
  await write()
  await adoptPlan()
  await write()
  await check()
  await leave()

  async function newUser(): Promise<string> {
    const email = `${randomBytes(8).toString('hex')}@example.com`
    const { data, error } = await admin.createUser({ email, email_confirm: true })
    if (error !== null) throw error
    await adopt(data.user.id)
    return data.user.id
  }

  /** Adopts the user's plan, as a sign-in or the comparison with the identity provider does. */
  async function adopt(id: string): Promise<string | null> {
    const { data, error } = await admin.getUserById(id)
    if (error !== null) throw error
    const plan: unknown = data.user.app_metadata.plan ?? null
    const seen = {
      id,
      email: data.user.email ?? '',
      name: '',
      plan: plan as string | null,
      isOperator: false,
      operatorRoles: null,
      isBanned: false
    }
    await orm.transaction((tx) => adoptUser(tx, one, id, seen, new Date()))
    await one.projector.accountChanged(id)
    return seen.plan
  }

  async function take(step: Step): Promise<void> {
    const chosen = (number: number) => subscriptions[number % subscriptions.length]!
    switch (step.do) {
      case 'buy':
        subscriptions.push(await buy(step.price))
        break
      case 'switch':
        await unlessEnded(chosen(step.which), async (id) => {
          const [item] = (await stripe.subscriptions.retrieve(id)).items.data
          await stripe.subscriptions.update(id, { items: [{ id: item!.id, price: step.price }] })
        })
        break
      case 'cancel later':
        await unlessEnded(chosen(step.which), (id) =>
          stripe.subscriptions.update(id, { cancel_at_period_end: step.isLater })
        )
        break
      case 'cancel':
        await unlessEnded(chosen(step.which), (id) => stripe.subscriptions.cancel(id))
        break
      case 'fail to pay':
        await unlessEnded(chosen(step.which), async (id) => controls.setStatus(id, 'past_due'))
        break
      case 'set status':
        await unlessEnded(chosen(step.which), async (id) => controls.setStatus(id, step.status))
        break
      case 'set plan': {
        setPlan = step.plan
        const { error } = await admin.updateUserById(accountId, { app_metadata: { plan: step.plan } })
        if (error !== null) throw error
        break
      }
      case 'deliver':
        if (events.length > 0) {
          await deliverAll(
            step.events.map(({ which, replica }) => ({ event: events[which % events.length]!, replica }))
          )
        }
        break
      case 'write':
        await write()
    }
    events.push(...(eventsOf[step.do] ?? []).map(crafted))
  }

  async function buy(price: string): Promise<string> {
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      line_items: [{ price, quantity: 1 }],
      success_url: 'http://localhost:3000/'
    })
    return controls.pay(session.id).subscription as string
  }

  async function unlessEnded(id: string, change: (id: string) => Promise<unknown>): Promise<void> {
    const { status } = await stripe.subscriptions.retrieve(id)
    if (status !== 'canceled' && status !== 'incomplete_expired') await change(id)
  }

  /** Makes an event that names only the customer. */
  function crafted(type: string): TestEvent {
    return { id: `evt_${randomBytes(8).toString('hex')}`, type, data: { object: { customer: customer.id } } }
  }

  async function deliverAll(some: Array<{ event: TestEvent; replica: number }>): Promise<void> {
    const answers = await Promise.all(some.map(({ event, replica }) => deliver(event, replica === 0 ? one : two)))
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
    for (const { event } of some) deliveredIds.add(event.id)
  }

  async function write(): Promise<void> {
    await Promise.all([one.planWriter.writeAll(), two.planWriter.writeAll()])
  }

  async function compare(): Promise<void> {
    for (const replica of [one, two]) replica.passTime(3_600_000)
    const looked = await Promise.all([one.subscriptionSweeper.look(), two.subscriptionSweeper.look()])
    assert.ok(looked.includes(true))
    await Promise.all([one.dueCustomers.refreshDue(), two.dueCustomers.refreshDue()])
  }

  async function adoptPlan(): Promise<void> {
    await adopt(accountId)
  }

  async function check(): Promise<void> {
    const { data } = await stripe.subscriptions.list({ customer: customer.id, status: 'all', limit: 100 })
    const entitling = data.filter(({ status }) => ['active', 'trialing', 'past_due'].includes(status))
    const priceIds = entitling.flatMap(({ items }) => items.data.map(({ price }) => price.id))
    const paid = priceIds.some((id) => id.includes('team')) ? 'team' : priceIds.length > 0 ? 'pro' : 'free'
    const expected = setPlan ?? paid

    const [row] = await queryRows<{
      plan: string
      paid: string
      status: string | null
      due: boolean
      pending: boolean
    }>(
      orm,
      sql`
        select accounts.plan, customers.plan as paid, subscription_status as status, due_at is not null as due,
          coalesce(pending, false) as pending
        from accounts join customers on account_id = accounts.id left join plan_writes on user_id = accounts.id
        where accounts.id = ${accountId}`
    )
    const { status, ...state } = row!
    assert.deepEqual(state, { plan: expected, paid, due: false, pending: false })
    // The comparison does not list a subscription that began and ended without an event; it has no effect.
    const isForgotten = status === null && !data.some((one) => isSubscriptionLive(one.status))
    assert.ok(isForgotten || data.some((one) => one.status === status), String(status))
    const record = readAccountRecord((await one.redis.client.hget(accountName(accountId), 'r'))!)
    assert.equal(record.plan, expected)
    assert.equal((await adopt(accountId)) ?? 'free', expected)
    await checkAudit(expected)
  }

  /** The audit log has every change once: each row's old value is the new value of the row before. */
  async function checkAudit(expected: string): Promise<void> {
    const rows = await queryRows<{ action: string; subject: string | null; detail: Record<string, unknown> }>(
      orm,
      sql`select action, subject, detail from audit_log where account_id = ${accountId} order by id`
    )
    let plan: unknown = 'free'
    for (const { detail } of rows.filter(({ action }) => action === 'plan.changed')) {
      assert.equal(detail.from, plan)
      assert.notEqual(detail.to, plan)
      plan = detail.to
    }
    assert.equal(plan, expected)
    let last: unknown[] = [null, null, null]
    for (const { subject, detail } of rows.filter(({ action }) => action === 'subscription.changed')) {
      assert.equal(detail.from, last[1])
      const next = [subject, detail.to, detail.price]
      assert.notDeepEqual(next, last)
      last = next
    }
  }

  /** Ends the subscriptions, so that the comparisons of later customers stay short. */
  async function leave(): Promise<void> {
    const { data } = await stripe.subscriptions.list({ customer: customer.id })
    for (const { id } of data) await unlessEnded(id, () => stripe.subscriptions.cancel(id))
    await one.customerRefresher.refresh(accountId)
    await write()
  }
}
