import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../../database/connect.ts'
import { serviceRoleKey } from '../../testing/control-options.ts'
import { adoptUser, readPlanMark } from '../../users/adopt-user.ts'
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
  const customer = await createCustomer(replicas)
  for (const step of steps) await customer.take(step)
  if (ending === 'delivered') await customer.deliverRest(order)
  else await customer.compare()
  await customer.adopt()
  await customer.write()
  await customer.adopt()
  await customer.write()
  await customer.check()
  await customer.leave()
}

async function createCustomer(replicas: Replicas): Promise<Customer> {
  const { one, stripe } = replicas
  const admin = createClient(one.identity.url, serviceRoleKey, { auth: { persistSession: false } }).auth.admin
  const email = `${randomBytes(8).toString('hex')}@example.com`
  const { data, error } = await admin.createUser({ email, email_confirm: true })
  if (error !== null) throw error
  const { id } = data.user
  const { id: customerId } = await stripe.customers.create({ metadata: { account_id: id } })
  const customer = new Customer(replicas, admin, { id, customerId })
  await customer.adopt()
  await storeCustomer(one.database.orm, id, customerId, { now: new Date(), replaces: null })
  return customer
}

type Admin = ReturnType<typeof createClient>['auth']['admin']

/** A user who buys, and the events about them that the payment provider sends. */
class Customer {
  readonly #one: Replicas['one']
  readonly #two: Replicas['two']
  readonly #stripe: Replicas['stripe']
  readonly #controls: Replicas['payments']['controls']
  readonly #admin: Admin
  /** Of the user and the account. */
  readonly #id: string
  /** At the payment provider. */
  readonly #customerId: string
  readonly #subscriptions: string[] = []
  readonly #events: TestEvent[] = []
  readonly #deliveredIds = new Set<string>()
  /** The plan that somebody set at the identity provider. */
  #setPlan: string | null = null

  constructor(replicas: Replicas, admin: Admin, { id, customerId }: { id: string; customerId: string }) {
    this.#one = replicas.one
    this.#two = replicas.two
    this.#stripe = replicas.stripe
    this.#controls = replicas.payments.controls
    this.#admin = admin
    this.#id = id
    this.#customerId = customerId
  }

  /** Adopts the user's plan, as a sign-in or the comparison with the identity provider does. */
  async adopt(): Promise<string | null> {
    const id = this.#id
    const planMark = await readPlanMark(this.#one.database.orm, id)
    const { data, error } = await this.#admin.getUserById(id)
    if (error !== null) throw error
    const plan: unknown = data.user.app_metadata.plan ?? null
    const user = {
      id,
      email: data.user.email ?? '',
      name: '',
      plan: plan as string | null,
      isOperator: false,
      operatorRoles: null,
      isBanned: false
    }
    await this.#one.database.orm.transaction((tx) => adoptUser(tx, this.#one, id, user, new Date(), { planMark }))
    await this.#one.projector.accountChanged(id)
    return user.plan
  }

  async take(step: Step): Promise<void> {
    const chosen = (number: number) => this.#subscriptions[number % this.#subscriptions.length]!
    switch (step.do) {
      case 'buy':
        this.#subscriptions.push(await this.#buy(step.price))
        break
      case 'switch':
        await this.#unlessEnded(chosen(step.which), async (id) => {
          const [item] = (await this.#stripe.subscriptions.retrieve(id)).items.data
          await this.#stripe.subscriptions.update(id, { items: [{ id: item!.id, price: step.price }] })
        })
        break
      case 'cancel later':
        await this.#unlessEnded(chosen(step.which), (id) =>
          this.#stripe.subscriptions.update(id, { cancel_at_period_end: step.isLater })
        )
        break
      case 'cancel':
        await this.#unlessEnded(chosen(step.which), (id) => this.#stripe.subscriptions.cancel(id))
        break
      case 'fail to pay':
        await this.#unlessEnded(chosen(step.which), async (id) => this.#controls.setStatus(id, 'past_due'))
        break
      case 'set status':
        await this.#unlessEnded(chosen(step.which), async (id) => this.#controls.setStatus(id, step.status))
        break
      case 'set plan': {
        this.#setPlan = step.plan
        const { error } = await this.#admin.updateUserById(this.#id, { app_metadata: { plan: step.plan } })
        if (error !== null) throw error
        break
      }
      case 'deliver':
        if (this.#events.length > 0) {
          await this.#deliverAll(
            step.events.map(({ which, replica }) => ({ event: this.#events[which % this.#events.length]!, replica }))
          )
        }
        break
      case 'write':
        await this.write()
    }
    this.#events.push(...(eventsOf[step.do] ?? []).map((type) => this.#newEvent(type)))
  }

  async #buy(price: string): Promise<string> {
    const session = await this.#stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: this.#customerId,
      line_items: [{ price, quantity: 1 }],
      success_url: 'http://localhost:3000/'
    })
    return this.#controls.pay(session.id).subscription as string
  }

  async #unlessEnded(id: string, change: (id: string) => Promise<unknown>): Promise<void> {
    const { status } = await this.#stripe.subscriptions.retrieve(id)
    if (status !== 'canceled' && status !== 'incomplete_expired') await change(id)
  }

  /** Makes an event that names only the customer. */
  #newEvent(type: string): TestEvent {
    return { id: `evt_${randomBytes(8).toString('hex')}`, type, data: { object: { customer: this.#customerId } } }
  }

  async #deliverAll(some: Array<{ event: TestEvent; replica: number }>): Promise<void> {
    const answers = await Promise.all(
      some.map(({ event, replica }) => deliver(event, replica === 0 ? this.#one : this.#two))
    )
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
    for (const { event } of some) this.#deliveredIds.add(event.id)
  }

  /** Delivers the events that did not arrive yet, in the given order. */
  async deliverRest(order: readonly number[]): Promise<void> {
    const rest = this.#events
      .filter(({ id }) => !this.#deliveredIds.has(id))
      .map((event, index) => ({ event, at: order[index % 20]! }))
    // The last event always arrives, even if earlier ones were lost.
    rest.push({ event: this.#newEvent('customer.subscription.updated'), at: order[19]! })
    const inOrder = rest.sort((a, b) => a.at - b.at)
    await this.#deliverAll(inOrder.map(({ event }, index) => ({ event, replica: index % 2 })))
  }

  async write(): Promise<void> {
    await Promise.all([this.#one.planWriter.writeAll(), this.#two.planWriter.writeAll()])
  }

  async compare(): Promise<void> {
    for (const replica of [this.#one, this.#two]) replica.passTime(3_600_000)
    const looked = await Promise.all([this.#one.subscriptionSweeper.look(), this.#two.subscriptionSweeper.look()])
    assert.ok(looked.includes(true))
    await Promise.all([this.#one.dueCustomers.refreshDue(), this.#two.dueCustomers.refreshDue()])
  }

  async check(): Promise<void> {
    const { data } = await this.#stripe.subscriptions.list({ customer: this.#customerId, status: 'all', limit: 100 })
    const entitling = data.filter(({ status }) => ['active', 'trialing', 'past_due'].includes(status))
    const priceIds = entitling.flatMap(({ items }) => items.data.map(({ price }) => price.id))
    const paid = priceIds.some((id) => id.includes('team')) ? 'team' : priceIds.length > 0 ? 'pro' : 'free'
    const expected = this.#setPlan ?? paid

    const [row] = await queryRows<{
      plan: string
      paid: string
      status: string | null
      due: boolean
      pending: boolean
    }>(
      this.#one.database.orm,
      sql`
        select accounts.plan, customers.plan as paid, subscription_status as status, due_at is not null as due,
          coalesce(pending, false) as pending
        from accounts join customers on account_id = accounts.id left join plan_writes on user_id = accounts.id
        where accounts.id = ${this.#id}`
    )
    const { status, ...state } = row!
    assert.deepEqual(state, { plan: expected, paid, due: false, pending: false })
    // The comparison does not list a subscription that began and ended without an event; it has no effect.
    const isForgotten = status === null && !data.some((subscription) => isSubscriptionLive(subscription.status))
    assert.ok(isForgotten || data.some((subscription) => subscription.status === status), String(status))
    const record = readAccountRecord((await this.#one.redis.client.hget(accountName(this.#id), 'r'))!)
    assert.equal(record.plan, expected)
    assert.equal((await this.adopt()) ?? 'free', expected)
    await this.#checkAudit(expected)
  }

  /** The audit log has every change once: each row's old value is the new value of the row before. */
  async #checkAudit(expected: string): Promise<void> {
    const rows = await queryRows<{ action: string; subject: string | null; detail: Record<string, unknown> }>(
      this.#one.database.orm,
      sql`select action, subject, detail from audit_log where account_id = ${this.#id} order by id`
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
  async leave(): Promise<void> {
    const { data } = await this.#stripe.subscriptions.list({ customer: this.#customerId })
    for (const { id } of data) await this.#unlessEnded(id, () => this.#stripe.subscriptions.cancel(id))
    await this.#one.customerRefresher.refresh(this.#id)
    await this.write()
  }
}
