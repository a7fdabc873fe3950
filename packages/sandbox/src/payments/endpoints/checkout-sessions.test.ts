import assert from 'node:assert/strict'
import type Stripe from 'stripe'
import { test } from 'tap'
import { addSubscriber, startTestAccount } from '../test-account.ts'

const valid: Stripe.Checkout.SessionCreateParams = {
  mode: 'subscription',
  line_items: [{ price: 'price_pro_month', quantity: 2 }],
  success_url: 'https://app.example.com/done?session={CHECKOUT_SESSION_ID}'
}

test('a session returns its parameters, and its items only if expanded', async (t) => {
  const { stripe } = await startTestAccount(t)
  const session = await stripe.checkout.sessions.create({
    ...valid,
    client_reference_id: 'u1',
    metadata: { a: 'b' },
    subscription_data: { metadata: { user_id: 'u1' } },
    allow_promotion_codes: true
  })
  assert.partialDeepStrictEqual(session, {
    object: 'checkout.session',
    status: 'open',
    payment_status: 'unpaid',
    ui_mode: 'hosted_page',
    amount_total: 4_000,
    currency: 'usd',
    client_reference_id: 'u1',
    metadata: { a: 'b' },
    success_url: valid.success_url
  })
  assert.equal(session.line_items, undefined)
  assert.equal(session.expires_at - session.created, 86_400)
  assert.partialDeepStrictEqual((await stripe.checkout.sessions.listLineItems(session.id)).data, [
    { quantity: 2, amount_total: 4_000 }
  ])
})

test('sessions are listed by customer, subscription and status', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { customer, session, subscription } = await addSubscriber(account)
  await stripe.checkout.sessions.create(valid)
  const ids = async (params: Stripe.Checkout.SessionListParams) =>
    (await stripe.checkout.sessions.list(params)).data.map(({ id }) => id)
  assert.equal((await ids({})).length, 2)
  assert.deepEqual(await ids({ customer: customer.id }), [session.id])
  assert.deepEqual(await ids({ subscription: subscription.id }), [session.id])
  assert.deepEqual(await ids({ status: 'complete' }), [session.id])
})

const hour = 3_600
test('an invalid session is refused, and the error names the parameter', async (t) => {
  const { stripe } = await startTestAccount(t)
  for (const [what, changes, param] of [
    ['another mode', { mode: 'payment' }, 'mode'],
    ['no items', { line_items: [] }, 'line_items'],
    ['no quantity', { line_items: [{ price: 'price_pro_month' }] }, 'line_items[0][quantity]'],
    ['a quantity of 0', { line_items: [{ price: 'price_pro_month', quantity: 0 }] }, 'line_items[0][quantity]'],
    ['an empty price', { line_items: [{ price: '', quantity: 1 }] }, 'line_items[0][price]'],
    [
      'prices that recur at different times',
      {
        line_items: [
          { price: 'price_pro_month', quantity: 1 },
          { price: 'price_pro_year', quantity: 1 }
        ]
      },
      'line_items'
    ],
    ['no success URL', { success_url: '' }, 'success_url'],
    ['a relative URL', { success_url: '/done' }, 'success_url'],
    ['a script URL', { cancel_url: 'javascript:alert(1)' }, 'cancel_url'],
    ['an unknown customer', { customer: 'cus_none' }, 'customer'],
    ['an end too soon', { expires_at: Math.floor(Date.now() / 1000) + 60 }, 'expires_at'],
    ['an end too late', { expires_at: Math.floor(Date.now() / 1000) + 25 * hour }, 'expires_at']
  ] as const) {
    const params = { ...valid, ...changes } as Stripe.Checkout.SessionCreateParams
    await assert.rejects(stripe.checkout.sessions.create(params), { message: /./, statusCode: 400, param }, what)
  }
})
