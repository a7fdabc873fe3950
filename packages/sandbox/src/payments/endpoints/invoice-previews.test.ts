import assert from 'node:assert/strict'
import { test } from 'tap'
import { addSubscriber, startTestAccount } from '../test-account.ts'

test('a preview shows the invoice of the next renewal, and stores nothing', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { customer, subscription } = await addSubscriber(account)
  const before = await stripe.invoices.list({ customer: customer.id })
  const preview = await stripe.invoices.createPreview({ customer: customer.id, subscription: subscription.id })
  const end = subscription.items.data[0]!.current_period_end
  assert.partialDeepStrictEqual(preview, {
    object: 'invoice',
    billing_reason: 'upcoming',
    status: 'draft',
    number: null,
    invoice_pdf: null,
    amount_due: 2000,
    currency: 'usd',
    period_end: end
  })
  assert.match(preview.id, /^upcoming_in_/)
  assert.equal(preview.next_payment_attempt, end + 3600)
  assert.deepEqual(await stripe.invoices.list({ customer: customer.id }), before)
  controls.advance(end - controls.nowS())
  const [renewal] = (await stripe.invoices.list({ customer: customer.id })).data
  assert.equal(renewal!.total, preview.total)
})

test('a subscription that ends has no upcoming invoice', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { subscription } = await addSubscriber(account)
  const none = { code: 'invoice_upcoming_none', statusCode: 404 }
  await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })
  await assert.rejects(stripe.invoices.createPreview({ subscription: subscription.id }), none)
  await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false })
  assert.equal((await stripe.invoices.createPreview({ subscription: subscription.id })).amount_due, 2000)
  await stripe.subscriptions.cancel(subscription.id)
  await assert.rejects(stripe.invoices.createPreview({ subscription: subscription.id }), none)
})

test('a preview needs a subscription, of the customer if one is named', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const [one, other] = [await addSubscriber(account), await addSubscriber(account)]
  await assert.rejects(stripe.invoices.createPreview({ customer: one.customer.id }), /You must provide at least one of/)
  const missing = { code: 'resource_missing', param: 'subscription' }
  await assert.rejects(stripe.invoices.createPreview({ subscription: 'sub_none' }), missing)
  await assert.rejects(
    stripe.invoices.createPreview({ customer: one.customer.id, subscription: other.subscription.id }),
    missing
  )
})
