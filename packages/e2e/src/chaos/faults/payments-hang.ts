import { setTimeout as delay } from 'node:timers/promises'
import { signPayload } from '@tollgate/sandbox/payments/deliverer.ts'
import { Person } from '../../person.ts'
import type { Fault } from '../fault.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'

const payers = 12
/** At once, at each replica of control: more than it serves and lets wait. */
const webhooksAtOnce = 180
const webhookPauseMs = 1000
const hangsMs = 20_000
const revokeEveryMs = 1000
const promisedMs = 5000
/** A failed refresh is repeated after 15 s. */
const planTimeoutMs = 60_000
const pollMs = 200

/** Webhooks flood both replicas of control while the payment provider answers nothing. */
export const paymentsHang: Fault = {
  name: 'payments-hang',
  summary: `the payment provider hangs for ${hangsMs / 1000} s, while ${webhooksAtOnce} of its webhooks at once wait at each replica of control`,
  allowed: {},
  async inject(system, _loseData, { seen, broken }) {
    const { payments } = system.system.addresses
    if (payments === null) throw new Error('this system has no embedded payments server')
    const customers = await seedPayers(system)
    const buyer = await new Person(system.system, 'buyer').join()
    const session = await openCheckout(buyer)
    const [person] = system.people as [Person]
    const keys = await Promise.all(
      Array.from({ length: hangsMs / revokeEveryMs }, async () => (await person.createKey('to revoke')).body.key.id)
    )

    await callSandbox(payments, 'POST', 'failures', { hang: true, count: 1_000_000 })
    await callSandbox(payments, 'POST', `checkout/sessions/${session.id}/pay`, {})
    const answers = new Map<number | 'none', number>()
    let isHanging = true
    const flood = system.controls.flatMap(({ url }) =>
      Array.from({ length: webhooksAtOnce }, async (_, number) => {
        while (isHanging) {
          const status = await sendWebhook(system, url, customers[number % customers.length]!)
          answers.set(status, (answers.get(status) ?? 0) + 1)
          await delay(webhookPauseMs)
        }
      })
    )
    let slowestMs = 0
    for (const [index, key] of keys.entries()) {
      const by = system.people[index % system.people.length]!
      const from = performance.now()
      const { status } = await by.revokeKey(key)
      const ms = performance.now() - from
      slowestMs = Math.max(slowestMs, ms)
      if (status !== 200) broken.push(`a revocation was answered ${status} while the payment provider hung`)
      await delay(Math.max(0, revokeEveryMs - ms))
    }
    await callSandbox(payments, 'DELETE', 'failures')
    isHanging = false
    await Promise.all(flood)
    seen.push(
      `revocations while payments hang   ${keys.length}, each answered within ${(slowestMs / 1000).toFixed(2)} s`
    )
    seen.push(
      `webhooks of the provider          ${[...answers].map(([status, n]) => `${n} answered ${status}`).join(', ')}`
    )
    if (slowestMs > promisedMs)
      broken.push(`a revocation took ${Math.round(slowestMs)} ms while the payment provider hung`)
    if ((answers.get(503) ?? 0) === 0) broken.push('no webhook was refused, so the flood was too small')

    const from = performance.now()
    while (!(await isPro(buyer))) {
      if (performance.now() > from + planTimeoutMs) {
        broken.push(`a plan that was paid while the provider hung is not in force ${planTimeoutMs / 1000} s later`)
        return
      }
      await delay(pollMs)
    }
    seen.push(
      `a plan paid meanwhile             in force ${((performance.now() - from) / 1000).toFixed(1)} s after that`
    )
  }
}

/** Adds accounts that are customers of the payment provider. @returns the ids of the customers */
async function seedPayers(system: ChaosSystem): Promise<string[]> {
  for (let count = 0; count < payers; count++) {
    await openCheckout(await new Person(system.system, 'payer').join())
  }
  const rows = await system.sql<Array<{ id: string }>>`select customer_id as id from customers`
  return rows.map(({ id }) => id)
}

/** @returns the id of an open checkout page of a person */
async function openCheckout(person: Person): Promise<{ id: string }> {
  const { status, body } = await person.call<{ url: string }>('POST', '/api/billing/checkout', {
    price_id: 'price_pro_monthly'
  })
  if (status !== 200) throw new Error(`a checkout was answered ${status}: ${JSON.stringify(body)}`)
  return { id: new URL(body.url).pathname.split('/').at(-1)! }
}

async function isPro(person: Person): Promise<boolean> {
  const { body } = await person.call<{ plan?: { id: string } }>('GET', '/api/billing/plan')
  return body.plan?.id === 'pro'
}

/** Sends an event as the payment provider does. @returns the status, `none` without an answer */
async function sendWebhook({ system }: ChaosSystem, control: string, customer: string): Promise<number | 'none'> {
  const payload = JSON.stringify({
    id: `evt_${crypto.randomUUID()}`,
    type: 'customer.subscription.updated',
    data: { object: { customer } }
  })
  const signature = signPayload(payload, [system.secrets.webhookSecret], Math.floor(Date.now() / 1000))
  try {
    const response = await fetch(`${control}/api/billing/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body: payload
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 'none'
  }
}

async function callSandbox(payments: string, method: string, path: string, body?: object): Promise<void> {
  const response = await fetch(`${payments}/_sandbox/${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the payments server answered ${response.status}: ${text}`)
}
