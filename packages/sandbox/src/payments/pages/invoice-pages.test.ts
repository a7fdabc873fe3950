import t from 'tap'
import { addSubscriber, startTestAccount } from '../test-account.ts'
import { linkTo, open, submit } from './test-browser.ts'

t.test('an invoice has a page and a PDF with its number, lines and amounts', async (t) => {
  const account = await startTestAccount(t)
  const { stripe } = account
  const { customer } = await addSubscriber(account)
  const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data
  const page = await open(invoice?.hosted_invoice_url ?? '')
  t.match(page.html, `Invoice ${invoice?.number}`)
  t.match(page.html, '1 × Pro (at $20.00 per month)')
  t.equal(linkTo(page, 'PDF'), invoice?.invoice_pdf)

  const response = await fetch(invoice?.invoice_pdf ?? '')
  t.equal(response.headers.get('content-type'), 'application/pdf')
  t.match(response.headers.get('content-disposition'), `Invoice-${invoice?.number}.pdf`)
  const file = Buffer.from(await response.arrayBuffer()).toString('latin1')
  for (const text of [
    '(Invoice)',
    `(Invoice number ${invoice?.number})`,
    '(Bill to Ada)',
    '(Total)',
    '($20.00 paid)'
  ]) {
    t.ok(file.includes(text), text)
  }
  t.equal((await open(`${account.url}/i/none`)).status, 404)
  t.equal((await open(`${account.url}/i/none/pdf`)).status, 404)
})

t.test('an open invoice can be paid on its page with a working card', async (t) => {
  const account = await startTestAccount(t)
  const { stripe, controls } = account
  const { customer, subscription } = await addSubscriber(account, 'price_pro_month', '4000000000000341')
  controls.advance(32 * 86_400)
  const [invoice] = (await stripe.invoices.list({ customer: customer.id, status: 'open' })).data
  const page = await open(invoice?.hosted_invoice_url ?? '')
  t.equal((await submit(page, {})).status, 402)
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await stripe.subscriptions.update(subscription.id, { default_payment_method: card.id })
  t.match((await submit(page, {})).html, 'paid')
  t.equal((await stripe.subscriptions.retrieve(subscription.id)).status, 'active')
})
