import Stripe from 'stripe'
import { type PaymentsOptions, type RunningPayments, startPayments } from './start-payments.ts'

export const testKey = 'sk_test_tollgate'

/** The products on sale in tests. */
export const testProducts = [
  {
    id: 'prod_pro',
    name: 'Pro',
    prices: [
      { id: 'price_pro_month', unit_amount: 2_000, currency: 'usd', interval: 'month' },
      { id: 'price_pro_year', unit_amount: 20_000, currency: 'usd', interval: 'year' }
    ]
  },
  {
    id: 'prod_team',
    name: 'Team',
    prices: [{ id: 'price_team_month', unit_amount: 6_000, currency: 'usd', interval: 'month' }]
  }
] as const

export interface TestAccount extends RunningPayments {
  /** A client of the real library, without retries. */
  stripe: Stripe
}

interface Teardown {
  teardown(close: () => Promise<void>): unknown
}

/** Starts an in-memory server with products on a free port. It closes with the test. */
export async function startTestAccount(t: Teardown, options: Partial<PaymentsOptions> = {}): Promise<TestAccount> {
  const payments = await startPayments({
    port: 0,
    apiKey: testKey,
    products: testProducts,
    webhookRetryMs: 5,
    ...options
  })
  t.teardown(payments.close)
  return { ...payments, stripe: newStripe(payments.port) }
}

/** A client like that of an application server. */
export function newStripe(port: number, key: string = testKey): Stripe {
  return new Stripe(key, { host: '127.0.0.1', port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 })
}

/** Subscribes a customer through the checkout. */
export async function addSubscriber({ stripe, controls }: TestAccount, price = 'price_pro_month', number?: string) {
  const customer = await stripe.customers.create({ email: 'ada@example.com', name: 'Ada' })
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price, quantity: 1 }],
    success_url: 'https://app.example.com/done?session={CHECKOUT_SESSION_ID}'
  })
  const { subscription } = controls.pay(session.id, number === undefined ? {} : { number })
  if (subscription === null) throw new Error('The checkout made no subscription.')
  return { customer, session, subscription: await stripe.subscriptions.retrieve(subscription) }
}
