import assert from 'node:assert/strict'
import { type RunningPayments, startPayments } from '@tollgate/sandbox/payments/start-payments.ts'
import Stripe from 'stripe'
import type { Answer } from '../../testing/call-control.ts'
import { type StartControlOptions, stripeKey, webhookSecret } from '../../testing/control-options.ts'
import type { RunningControl, TestUser } from '../../testing/running-control.ts'
import { startControl } from '../../testing/start-control.ts'
import { catalog } from './subscriptions.ts'

type WireEvent = ReturnType<RunningPayments['controls']['events']>[number]

/** The events that tests deliver to control. */
export const deliveredTypes: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.payment_failed'
])

export type RunningBilling = Awaited<ReturnType<typeof startBilling>>

/** The payments server with the prices of the catalog. It sends no webhooks: tests deliver events. */
export function startCatalogPayments(options: Partial<Parameters<typeof startPayments>[0]> = {}) {
  const products = Object.entries(catalog.plans).flatMap(([id, { name, prices = [] }]) => {
    const own = prices.map(({ id: price, amount, currency, interval }) => ({
      id: price,
      unit_amount: amount,
      currency,
      interval
    }))
    return own.length === 0 ? [] : [{ id: `prod_${id}`, name, prices: own }]
  })
  return startPayments({ port: 0, apiKey: stripeKey, products, ...options })
}

/** Control with a payments server. */
export async function startBilling(options: StartControlOptions = {}) {
  const payments = await startCatalogPayments()
  const control = await startControl({ paymentsUrl: payments.url, ...options })
  return { control, payments, ...actions(control, payments), close: () => closeBoth(control, payments) }
}

/** The actions of users, the operator and the provider. */
export function actions(control: RunningControl, payments: RunningPayments) {
  const { call } = control
  const { controls } = payments
  const stripe = new Stripe(stripeKey, {
    host: '127.0.0.1',
    port: payments.port,
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0
  })

  const api = {
    stripe,
    checkout: (user: Pick<TestUser, 'cookie'>, price = 'price_pro_monthly') =>
      call('POST', '/api/billing/checkout', { cookie: user.cookie, body: { price_id: price } }),
    portal: (user: Pick<TestUser, 'cookie'>, query = '') =>
      call('GET', `/api/billing/portal${query}`, { cookie: user.cookie }),
    invoices: (user: Pick<TestUser, 'cookie'>, query = '') =>
      call('GET', `/api/billing/invoices${query}`, { cookie: user.cookie }),
    nextCharge: (user: Pick<TestUser, 'cookie'>) => call('GET', '/api/billing/next-charge', { cookie: user.cookie }),
    async plan(user: Pick<TestUser, 'cookie'>): Promise<Record<string, unknown>> {
      const { body } = await call('GET', '/api/billing/plan', { cookie: user.cookie })
      return (body as { plan: Record<string, unknown> }).plan
    },

    /** Events for control after the first `count` events. */
    eventsSince: (count: number) =>
      controls
        .events()
        .slice(count)
        .filter(({ type }) => deliveredTypes.has(type)),
    /** Sends an event, signed now, as the provider does. */
    deliver: (event: WireEvent, to: RunningControl = control): Promise<Answer> => deliver(event, to),
    /** Runs a change at the provider, and delivers its events in order. */
    async happens<Result>(change: () => Promise<Result> | Result): Promise<Result> {
      const before = controls.events().length
      const result = await change()
      for (const event of api.eventsSince(before)) {
        const answer = await deliver(event, control)
        assert.deepEqual([answer.status, answer.body], [200, { received: true }], event.type)
      }
      return result
    },
    /** Opens a checkout and pays, without delivering events. @returns the subscription's id */
    async buy(user: Pick<TestUser, 'cookie'>, price?: string): Promise<string> {
      const answer = await api.checkout(user, price)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const session = await api.sessionOf(answer)
      return controls.pay(session.id).subscription as string
    },
    /** The checkout session behind an address. */
    async sessionOf(answer: Answer) {
      const { url } = answer.body as { url: string }
      const { data } = await stripe.checkout.sessions.list({ limit: 100 })
      const session = data.find((one) => one.url === url)
      assert.ok(session, `no open session at ${url}`)
      return session
    },
    /** Ids of the customer's subscriptions that charge. */
    async live(customer: string): Promise<string[]> {
      const { data } = await stripe.subscriptions.list({ customer })
      return data.map(({ id }) => id)
    },
    /** Runs one round of the loops. */
    async settle(): Promise<void> {
      await control.dueCustomers.refreshDue()
      await control.planWriter.writeAll()
    }
  }
  return api
}

/** Sends an event to control, signed at control's time. */
export function deliver(event: object, { app, now }: RunningControl, secret = webhookSecret): Promise<Answer> {
  const payload = JSON.stringify(event, null, 2)
  return deliverRaw(app, payload, {
    'stripe-signature': Stripe.webhooks.generateTestHeaderString({
      payload,
      secret,
      timestamp: Math.floor(now().getTime() / 1000)
    })
  })
}

/** Sends any body with any headers to the webhook. */
export async function deliverRaw(
  app: RunningControl['app'],
  payload: string | Buffer,
  headers: Record<string, string>
): Promise<Answer> {
  const response = await app.inject({
    method: 'POST',
    url: '/api/billing/webhook',
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    payload
  })
  const isJson = /json/.test(String(response.headers['content-type']))
  return {
    status: response.statusCode,
    headers: response.headers,
    body: isJson ? response.json() : response.body,
    cookies: []
  }
}

async function closeBoth(control: RunningControl, payments: RunningPayments): Promise<void> {
  await payments.close()
  await control.close()
}
