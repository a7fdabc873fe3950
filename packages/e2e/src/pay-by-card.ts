import { open, submit } from '@tollgate/sandbox/payments/pages/test-browser.ts'
import type { Person } from './person.ts'

/** Pays with a card in the checkout page. @returns the page after it */
export async function payByCard(person: Person, price: string, number = '4242 4242 4242 4242') {
  const { status, body } = await person.call<{ url: string }>('POST', '/api/billing/checkout', { price_id: price })
  if (status !== 200) throw new Error(`checkout answered ${status}: ${JSON.stringify(body)}`)
  return submit(await open(body.url), { number, expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' })
}
