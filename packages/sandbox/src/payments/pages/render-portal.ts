import { escapeHtml } from '../../mailbox/html.ts'
import { currentPeriodEnd, describePrice, formatAmount, formatDay } from '../periods.ts'
import type { WireInvoice, WirePaymentMethod, WirePortalConfiguration, WirePrice, WireSubscription } from '../wire.ts'
import { type CardForm, renderCardFields, testCardHints } from './checkout-pages.ts'
import { type Problem, page } from './layout.ts'

/** The values that every page of a visit needs. */
export interface PortalView {
  businessName: string
  /** The path of the visit's pages. */
  base: string
  returnUrl: string | null
  features: WirePortalConfiguration['features']
  nameOf(price: WirePrice): string
}

export interface PortalHome {
  headline: string | null
  email: string | null
  subscriptions: readonly WireSubscription[]
  paymentMethod: WirePaymentMethod | null
  invoices: readonly WireInvoice[]
}

/** Renders the first page: plan, card and invoices. */
export function renderPortalHome(view: PortalView, home: PortalHome): string {
  const { features, base } = view
  const plans = home.subscriptions.map((subscription) => renderPlan(view, subscription))
  const change = features.payment_method_update.enabled
    ? `<p class="actions"><a class="button second" href="${base}/card">Change card</a></p>`
    : ''
  return portalPage(
    view,
    'Your subscription',
    `<h1>${escapeHtml(home.headline ?? 'Your subscription')}</h1>
    ${home.email === null ? '' : `<p class="quiet">${escapeHtml(home.email)}</p>`}
    ${plans.length === 0 ? '<section><h2>Plan</h2><p>You have no subscription.</p></section>' : plans.join('')}
    <section aria-labelledby="card"><h2 id="card">Card</h2><p>${describeCard(home.paymentMethod)}</p>${change}</section>
    ${features.invoice_history.enabled ? renderInvoices(home.invoices) : ''}`
  )
}

function renderPlan({ features, base, nameOf }: PortalView, subscription: WireSubscription): string {
  const { id, status, items } = subscription
  const isEnding = subscription.cancel_at !== null
  const path = `${base}/subscriptions/${id}`
  const actions = [
    features.subscription_update.enabled && !isEnding ? `<a class="button" href="${path}/switch">Switch plan</a>` : '',
    features.subscription_cancel.enabled && !isEnding
      ? `<a class="button second" href="${path}/cancel">Cancel plan</a>`
      : '',
    isEnding ? `<form method="post" action="${path}/resume"><button>Keep plan</button></form>` : ''
  ]
  const names = items.data.map(
    ({ price, quantity = 1 }) =>
      `<p class="price">${escapeHtml(nameOf(price))}</p><p>${quantity > 1 ? `${quantity} × ` : ''}${escapeHtml(describePrice(price))}</p>`
  )
  return `<section aria-label="Plan"><h2>Plan</h2>${names.join('')}<p>${describeStatus(status, subscription)}</p>
    <div class="actions">${actions.join('')}</div></section>`
}

function describeStatus(status: WireSubscription['status'], subscription: WireSubscription): string {
  if (status === 'past_due' || status === 'unpaid') {
    return '<span class="wrong">The last payment failed. Please change the card.</span>'
  }
  const end = formatDay(subscription.cancel_at ?? currentPeriodEnd(subscription))
  if (subscription.cancel_at !== null) return `Ends on ${end}.`
  return status === 'trialing' ? `On trial until ${end}.` : `Renews on ${end}.`
}

const brandNames: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express'
}

function describeCard(paymentMethod: WirePaymentMethod | null): string {
  const card = paymentMethod?.card
  if (card === undefined) return 'No card saved.'
  const month = String(card.exp_month).padStart(2, '0')
  return `${brandNames[card.brand] ?? 'Card'} ending in ${escapeHtml(card.last4)}, valid until ${month} / ${card.exp_year}`
}

function renderInvoices(invoices: readonly WireInvoice[]): string {
  const rows = invoices.map(
    (invoice) => `<tr>
      <td>${formatDay(invoice.created)}</td>
      <td>${escapeHtml(formatAmount(invoice.total, invoice.currency))}</td>
      <td class="${invoice.status === 'paid' ? 'good' : 'wrong'}">${escapeHtml(invoice.status ?? '')}</td>
      <td><a href="${escapeHtml(invoice.hosted_invoice_url ?? '')}">${escapeHtml(invoice.number ?? invoice.id)}</a></td>
      <td><a href="${escapeHtml(invoice.invoice_pdf ?? '')}" aria-label="PDF of ${escapeHtml(invoice.number ?? '')}">PDF</a></td>
    </tr>`
  )
  const table = `<div class="scroll"><table>
    <thead><tr><th scope="col">Date</th><th scope="col">Amount</th><th scope="col">Status</th><th scope="col">Invoice</th><th scope="col">File</th></tr></thead>
    <tbody>${rows.join('')}</tbody></table></div>`
  return `<section aria-labelledby="invoices"><h2 id="invoices">Invoices</h2>${rows.length === 0 ? '<p>No invoices yet.</p>' : table}</section>`
}

/** Renders the page that switches the price. */
export function renderSwitch(
  view: PortalView,
  subscription: WireSubscription,
  prices: readonly WirePrice[],
  problem: Problem | null
): string {
  const current = new Set(subscription.items.data.map(({ price }) => price.id))
  const choices = prices.map(
    (price) => `<label class="choice"><input type="radio" name="price" value="${escapeHtml(price.id)}"
      ${current.has(price.id) ? 'disabled' : 'required'}> ${escapeHtml(view.nameOf(price))}, ${escapeHtml(describePrice(price))}
      ${current.has(price.id) ? '<span class="quiet">(current plan)</span>' : ''}</label>`
  )
  return portalPage(
    view,
    'Switch plan',
    `<h1>Switch plan</h1>
    <form method="post">
      ${renderProblem(problem)}
      <fieldset><legend>Plans</legend>${choices.join('')}</fieldset>
      <p class="quiet">The unused time of your current plan is credited.</p>
      <div class="actions"><button>Switch plan</button><a class="button second" href="${view.base}">Back</a></div>
    </form>`
  )
}

/** Renders the page that confirms the switch to a price. */
export function renderConfirm(view: PortalView, price: WirePrice, problem: Problem | null): string {
  return portalPage(
    view,
    'Confirm your switch',
    `<h1>Confirm your switch</h1>
    <form method="post">
      ${renderProblem(problem)}
      <input type="hidden" name="price" value="${escapeHtml(price.id)}">
      <p><strong>${escapeHtml(view.nameOf(price))}</strong>, ${escapeHtml(describePrice(price))}</p>
      <p class="quiet">The unused time of your current plan is credited.</p>
      <div class="actions"><button>Confirm</button>
        <a class="button second" href="${escapeHtml(view.returnUrl ?? view.base)}">Back</a></div>
    </form>`
  )
}

/** Renders the page that cancels a subscription. */
export function renderCancel(view: PortalView, subscription: WireSubscription): string {
  const isLater = view.features.subscription_cancel.mode === 'at_period_end'
  const end = formatDay(currentPeriodEnd(subscription))
  return portalPage(
    view,
    'Cancel plan',
    `<h1>Cancel plan</h1>
    <form method="post">
      <fieldset><legend>When</legend>
        <label class="choice"><input type="radio" name="when" value="period_end" ${isLater ? 'checked' : ''}> At the end of the period, on ${end}</label>
        <label class="choice"><input type="radio" name="when" value="now" ${isLater ? '' : 'checked'}> Now</label>
      </fieldset>
      <div class="actions"><button>Cancel plan</button><a class="button second" href="${view.base}">Back</a></div>
    </form>`
  )
}

/** Renders the page that changes the card. */
export function renderChangeCard(view: PortalView, form: CardForm, problem: Problem | null): string {
  return portalPage(
    view,
    'Change card',
    `<h1>Change card</h1>
    <section><form method="post">
      ${renderCardFields(form, problem)}
      <div class="actions"><button>Use this card</button><a class="button second" href="${view.base}">Back</a></div>
    </form></section>${testCardHints}`
  )
}

function renderProblem(problem: Problem | null): string {
  return problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem.message)}</p>`
}

function portalPage(view: PortalView, title: string, content: string): string {
  const back =
    view.returnUrl === null
      ? ''
      : `<p><a href="${escapeHtml(view.returnUrl)}" rel="noreferrer">Return to ${escapeHtml(view.businessName)}</a></p>`
  return page(view.businessName, title, `${back}${content}`)
}
