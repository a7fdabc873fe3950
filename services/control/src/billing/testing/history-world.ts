import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../../database/connect.ts'
import { serviceRoleKey } from '../../testing/start-control.ts'
import { adoptUser } from '../../users/adopt-user.ts'
import { storeCustomer } from '../customers.ts'
import { isSubscriptionLive } from '../live-subscription.ts'
import type { History, Step } from './histories.ts'
import { deliver } from './start-billing.ts'
import type { startReplicas } from './start-replicas.ts'

type Replicas = NonNullable<Awaited<ReturnType<typeof startReplicas>>>
/** Events by customer: listing them at the provider would take longer with every customer. */
const tellingOf: Partial<Record<Step['do'], string[]>> = {
  buy: ['customer.subscription.created', 'checkout.session.completed'],
  switch: ['customer.subscription.updated'],
  'cancel later': ['customer.subscription.updated'],
  cancel: ['customer.subscription.deleted'],
  'fail to pay': ['invoice.payment_failed', 'customer.subscription.updated'],
  'bring to': ['customer.subscription.updated']
}

interface TellableEvent {
  id: string
  type: string
  data: { object: object }
}

/** One of many customers, from the first purchase to the final check. */
export async function liveThrough(replicas: Replicas, { steps, ending, order }: History): Promise<void> {
  const { one, two, payments, stripe } = replicas
  const { controls } = payments
  const { orm } = one.database
  const admin = createClient(one.identity.url, serviceRoleKey, { auth: { persistSession: false } }).auth.admin
  const accountId = await newUser()
  const customer = await stripe.customers.create({ metadata: { account_id: accountId } })
  await storeCustomer(orm, accountId, customer.id, { now: new Date(), replaces: null })
  const subscriptions: string[] = []
  const events: TellableEvent[] = []
  const toldIds = new Set<string>()
  let byHand: string | null = null

  for (const step of steps) await take(step)
  const rest = events.filter(({ id }) => !toldIds.has(id)).map((event, index) => ({ event, at: order[index % 20]! }))
  if (ending === 'told') {
    // The last event always arrives in the end, whatever was lost before.
    rest.push({ event: crafted('customer.subscription.updated'), at: order[19]! })
    await tell(rest.sort((a, b) => a.at - b.at).map(({ event }, index) => ({ event, replica: index % 2 })))
  } else {
    await compare()
  }
  await noticeByHand()
  await write()
  await noticeByHand()
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

  /** As a sign-in does, or the comparison with the identity provider. */
  async function adopt(id: string): Promise<string | null> {
    const { data, error } = await admin.getUserById(id)
    if (error !== null) throw error
    const plan: unknown = data.user.app_metadata.plan ?? null
    const seen = { id, email: data.user.email ?? '', name: '', plan: plan as string | null, isBanned: false }
    await orm.transaction((tx) => adoptUser(tx, one.catalog, id, seen, new Date()))
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
      case 'bring to':
        await unlessEnded(chosen(step.which), async (id) => controls.setStatus(id, step.status))
        break
      case 'set by hand': {
        byHand = step.plan
        const { error } = await admin.updateUserById(accountId, { app_metadata: { plan: step.plan } })
        if (error !== null) throw error
        break
      }
      case 'tell':
        if (events.length > 0) {
          await tell(step.events.map(({ which, replica }) => ({ event: events[which % events.length]!, replica })))
        }
        break
      case 'write':
        await write()
    }
    events.push(...(tellingOf[step.do] ?? []).map(crafted))
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

  /** An event with the customer only. */
  function crafted(type: string): TellableEvent {
    return { id: `evt_${randomBytes(8).toString('hex')}`, type, data: { object: { customer: customer.id } } }
  }

  async function tell(some: Array<{ event: TellableEvent; replica: number }>): Promise<void> {
    const answers = await Promise.all(some.map(({ event, replica }) => deliver(event, replica === 0 ? one : two)))
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
    for (const { event } of some) toldIds.add(event.id)
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

  async function noticeByHand(): Promise<void> {
    await adopt(accountId)
  }

  async function check(): Promise<void> {
    const { data } = await stripe.subscriptions.list({ customer: customer.id, status: 'all', limit: 100 })
    const entitling = data.filter(({ status }) => ['active', 'trialing', 'past_due'].includes(status))
    const priceIds = entitling.flatMap(({ items }) => items.data.map(({ price }) => price.id))
    const paid = priceIds.some((id) => id.includes('team')) ? 'team' : priceIds.length > 0 ? 'pro' : 'free'
    const expected = byHand ?? paid

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
    // A subscription that began and ended without an event is not in the list of the comparison, and has no effect.
    const isForgotten = status === null && !data.some((one) => isSubscriptionLive(one.status))
    assert.ok(isForgotten || data.some((one) => one.status === status), String(status))
    const record = readAccountRecord((await one.redis.client.hget(accountName(accountId), 'r'))!)
    assert.equal(record.plan, expected)
    assert.equal((await adopt(accountId)) ?? 'free', expected)
    await checkAudit(expected)
  }

  /** The audit log has every change once: each row starts with the value in which the one before ended. */
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

  /** Removes the customer, so that later ones need not wait for it. */
  async function leave(): Promise<void> {
    const { data } = await stripe.subscriptions.list({ customer: customer.id })
    for (const { id } of data) await unlessEnded(id, () => stripe.subscriptions.cancel(id))
    await one.customerRefresher.refresh(accountId)
    await write()
  }
}
