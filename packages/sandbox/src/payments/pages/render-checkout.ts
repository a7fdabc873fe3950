import { escapeHtml } from '../../mailbox/html.ts'
import { describePrice, formatAmount } from '../billing/describe.ts'
import type { Order } from '../store/kinds.ts'
import type { WireCheckoutSession } from '../wire.ts'
import { type CardForm, renderCardFields, testCardHints } from './card-form.ts'
import { type Problem, renderField } from './field.ts'
import { page } from './layout.ts'

export interface CheckoutForm extends CardForm {
  email: string
}

/** Renders the checkout page of a subscription. */
export function renderCheckout(
  businessName: string,
  session: WireCheckoutSession,
  order: Order,
  form: CheckoutForm,
  problem: Problem | null
): string {
  const [first] = order.lineItems
  const isKnown = session.customer !== null || session.customer_email !== null
  const items = order.lineItems.map(
    ({ description, quantity, price }) =>
      `<dt>${quantity ?? 1} ×</dt><dd>${escapeHtml(description ?? '')}, ${price === null ? '' : escapeHtml(describePrice(price))}</dd>`
  )
  const trial = order.trialDays > 0 ? `<p class="good">${order.trialDays} days free, then the price above.</p>` : ''
  const back =
    session.cancel_url === null ? '' : `<p><a href="${escapeHtml(session.cancel_url)}" rel="noreferrer">Back</a></p>`
  const email = renderField(
    {
      name: 'email',
      label: 'Email',
      value: form.email,
      autocomplete: 'email',
      type: 'email',
      inputmode: 'email',
      isReadOnly: isKnown
    },
    problem
  )
  return page(
    businessName,
    'Checkout',
    `<div class="columns">
      <div>
        ${back}
        <h1>Subscribe to ${escapeHtml(first?.description ?? businessName)}</h1>
        <p class="price">${escapeHtml(formatAmount(session.amount_total ?? 0, session.currency ?? 'usd'))}</p>
        ${trial}
        <dl>${items.join('')}</dl>
      </div>
      <section aria-labelledby="pay">
        <h2 id="pay">Pay with card</h2>
        ${problem === null ? '' : '<p class="wrong">The payment failed. Please correct the marked field.</p>'}
        <form class="wide" method="post">
          ${email}
          ${renderCardFields(form, problem)}
          <button>Subscribe</button>
        </form>
        ${testCardHints}
      </section>
    </div>`
  )
}
