import type { FastifyInstance, FastifyReply } from 'fastify'
import { escapeHtml } from '../../mailbox/html.ts'
import type { CardInput } from '../cards.ts'
import { completeCheckout } from '../checkout.ts'
import { StripeApiError } from '../errors.ts'
import { type Api, changeInTransaction } from '../http/api.ts'
import { type FormFields, parseForm } from '../http/read-params.ts'
import type { Order } from '../object-store.ts'
import { describePrice, formatAmount } from '../periods.ts'
import type { WireCheckoutSession } from '../wire.ts'
import { type Problem, page, renderField, sendNotice, sendPage } from './layout.ts'

/** The hosted checkout page. It redirects to the application's success URL. */
export function registerCheckoutPages(app: FastifyInstance, api: Api): void {
  const { context } = api
  const { objects, settings } = context

  const sendForm = (
    reply: FastifyReply,
    session: WireCheckoutSession,
    form: Partial<CheckoutForm>,
    problem: Problem | null
  ) => {
    const order = objects.get('order', session.id)
    if (order === null) throw new Error(`${session.id} has no order.`)
    const customer = session.customer === null ? null : objects.get('customer', session.customer)
    const email = session.customer_email ?? customer?.email ?? form.email ?? ''
    return sendPage(
      reply,
      renderCheckout(settings.businessName, session, order, { ...emptyCard, ...form, email }, problem)
    )
  }

  app.get('/c/pay/:id', async (request, reply) => {
    api.catchUp()
    const session = objects.get('checkout.session', (request.params as { id: string }).id)
    return session?.status === 'open'
      ? sendForm(reply, session, {}, null)
      : sendClosed(reply, settings.businessName, session)
  })

  app.post('/c/pay/:id', async (request, reply) => {
    api.catchUp()
    const session = objects.get('checkout.session', (request.params as { id: string }).id)
    // A second click must not pay again.
    if (session?.status === 'complete') return reply.redirect(successUrl(session), 303)
    if (session?.status !== 'open') return sendClosed(reply, settings.businessName, session)
    const fields = parseForm(String(request.body ?? ''))
    const form = { ...readCardForm(fields), email: textOf(fields, 'email') }
    const problem = missingField(session, form)
    if (problem !== null) return sendForm(reply.code(422), session, form, problem)
    try {
      const completed = changeInTransaction(api, () => completeCheckout(context, session, form))
      return reply.redirect(successUrl(completed), 303)
    } catch (error) {
      return sendForm(reply.code(402), session, form, problemOf(error))
    }
  })
}

export const emptyCard: CardForm = { number: '', expiry: '', cvc: '', name: '' }
const formFields: Readonly<Record<string, keyof CardForm>> = { number: 'number', exp_month: 'expiry', cvc: 'cvc' }

/** Explains the test cards. */
export const testCardHints = `
  <details><summary>Test cards</summary><dl>
    <dt><code>4242 4242 4242 4242</code></dt><dd>pays</dd>
    <dt><code>4000 0000 0000 0002</code></dt><dd>is declined</dd>
    <dt><code>4000 0000 0000 0341</code></dt><dd>pays now and fails at renewal</dd>
  </dl><p class="quiet">Use any future date and any security code.</p></details>`

function missingField(session: WireCheckoutSession, { email, name }: CheckoutForm): Problem | null {
  const isKnown = session.customer !== null || session.customer_email !== null
  if (!isKnown && !/^[^\s@]+@[^\s@]+$/.test(email)) {
    return { field: 'email', message: 'Please enter an email address, such as name@example.com.' }
  }
  return name === '' ? { field: 'name', message: 'Please enter the name on the card.' } : null
}

function successUrl({ id, success_url }: WireCheckoutSession): string {
  return (success_url ?? '/').replaceAll('{CHECKOUT_SESSION_ID}', id)
}

function sendClosed(reply: FastifyReply, businessName: string, session: WireCheckoutSession | null): FastifyReply {
  if (session === null) {
    return sendNotice(reply, businessName, 404, 'No such checkout', 'There is no checkout at this address.')
  }
  return session.status === 'complete'
    ? sendNotice(reply, businessName, 200, 'All done', 'This checkout has been paid. You can close this page.')
    : sendNotice(reply, businessName, 410, 'This checkout has expired', 'Please go back and start it again.')
}

interface CheckoutForm extends CardForm {
  email: string
}

/** Renders the checkout page of a subscription. */
function renderCheckout(
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

/** The fields of a card form. */
export interface CardForm extends CardInput {
  name: string
}

export function readCardForm(form: FormFields): CardForm {
  return {
    number: textOf(form, 'number'),
    expiry: textOf(form, 'expiry'),
    cvc: textOf(form, 'cvc'),
    name: textOf(form, 'name')
  }
}

/** The text of a field; empty if it was not sent. */
export function textOf(form: FormFields, name: string): string {
  const value = form[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** Turns a declined card into a problem of its field. Rethrows any other error. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof StripeApiError) || error.body.type !== 'card_error') throw error
  return { field: formFields[error.body.param ?? ''] ?? 'number', message: error.message }
}

/** Renders the fields of a card. The security code is always empty. */
export function renderCardFields(card: CardForm, problem: Problem | null): string {
  return `
    ${renderField({ name: 'number', label: 'Card number', value: card.number, autocomplete: 'cc-number', inputmode: 'numeric', placeholder: '4242 4242 4242 4242' }, problem)}
    <div class="pair">
      ${renderField({ name: 'expiry', label: 'Expiry (MM / YY)', value: card.expiry, autocomplete: 'cc-exp', placeholder: '12 / 34' }, problem)}
      ${renderField({ name: 'cvc', label: 'Security code', value: '', autocomplete: 'cc-csc', inputmode: 'numeric', placeholder: '123' }, problem)}
    </div>
    ${renderField({ name: 'name', label: 'Name on card', value: card.name, autocomplete: 'cc-name' }, problem)}`
}
