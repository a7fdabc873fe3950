import assert from 'node:assert/strict'
import { test } from 'tap'
import { addSubscriber, startTestAccount } from '../test-account.ts'
import { linkTo, open, submit } from './test-browser.ts'

test('an invoice has a page and a PDF with its number, lines and amounts', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { customer } = await addSubscriber(account)
  const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data
  const page = await open(invoice?.hosted_invoice_url ?? '')
  assert.ok(page.html.includes(`Invoice ${invoice?.number}`))
  assert.ok(page.html.includes('1 × Pro (at $20.00 per month)'))
  assert.equal(linkTo(page, 'PDF'), invoice?.invoice_pdf)

  const response = await fetch(invoice?.invoice_pdf ?? '')
  assert.equal(response.headers.get('content-type'), 'application/pdf')
  assert.ok(response.headers.get('content-disposition')?.includes(`Invoice-${invoice?.number}.pdf`))
  const file = Buffer.from(await response.arrayBuffer()).toString('latin1')
  for (const text of [
    '(Invoice)',
    `(Invoice number ${invoice?.number})`,
    '(Bill to Ada)',
    '(Total)',
    '($20.00 paid)'
  ]) {
    assert.ok(file.includes(text), text)
  }
  assert.equal((await open(`${account.url}/i/none`)).status, 404)
  assert.equal((await open(`${account.url}/i/none/pdf`)).status, 404)
})

test('an open invoice can be paid on its page with a working card', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { customer, subscription } = await addSubscriber(account, 'price_pro_month', '4000000000000341')
  controls.advance(32 * 86_400)
  const [invoice] = (await stripe.invoices.list({ customer: customer.id, status: 'open' })).data
  const page = await open(invoice?.hosted_invoice_url ?? '')
  assert.equal((await submit(page, {})).status, 402)
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await stripe.subscriptions.update(subscription.id, { default_payment_method: card.id })
  assert.match((await submit(page, {})).html, /paid/)
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'active')
})
