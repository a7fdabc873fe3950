import type { Plan, PlanPrice } from '@tollgate/contracts/catalog/catalog.ts'
import { createStripeClient, pageSize } from '@tollgate/control/billing/stripe/stripe-client.ts'
import { handledEvents } from '@tollgate/control/billing/webhook-event.ts'
import { type Failure, failureOf, isSameUrl, skewOf } from './network.ts'
import { type Finding, type Result, resultsOf } from './results.ts'

/** The members of Stripe's objects that the check reads. */
interface StripePrice {
  readonly active: boolean
  readonly currency: string
  readonly unit_amount: number | null
  readonly type: string
  readonly recurring: { readonly interval: string; readonly interval_count: number } | null
}

interface StripeEndpoint {
  readonly url: string
  readonly status: string
  readonly enabled_events: readonly string[]
}

interface StripePortal {
  readonly features: Readonly<
    Record<'subscription_update' | 'subscription_cancel' | 'payment_method_update', { enabled: boolean }>
  >
}

/** What Stripe answered to one call. */
export type Call<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  | { readonly kind: 'absent' }
  /** 401: the key is wrong. 403: it lacks a right. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  | { readonly kind: 'failure'; readonly failure: Failure }

export interface PaymentsFacts {
  readonly prices: ReadonlyMap<string, Call<StripePrice>>
  readonly endpoints: Call<readonly StripeEndpoint[]>
  /** The default configuration of the customer portal; absent if none was ever saved. */
  readonly portal: Call<StripePortal>
  /** Whether the key may read refunds; what it found does not matter. */
  readonly refunds: Call<true>
  /** How far Stripe's clock is ahead of this machine's, ms; null if no call told. */
  readonly skewMs: number | null
}

type StripeAnswer = object & { readonly lastResponse?: { readonly headers: Record<string, string> } }

/** Reads prices, webhook endpoints, the portal's configuration and a refund. Changes nothing, and never rejects. */
export async function readPayments(
  { secretKey, apiBase }: { readonly secretKey: string; readonly apiBase: string },
  priceIds: readonly string[],
  timeoutMs: number
): Promise<PaymentsFacts> {
  const stripe = createStripeClient(secretKey, apiBase)(AbortSignal.timeout(timeoutMs))
  let skewMs: number | null = null
  const call = async <Value>(
    ask: () => Promise<StripeAnswer>,
    read: (answer: StripeAnswer) => Value | null
  ): Promise<Call<Value>> => {
    const before = Date.now()
    try {
      const answer = await ask()
      // The types promise an object, but the client's fetch adapter gives the answer's own `Headers`.
      const date = new Headers(answer.lastResponse?.headers).get('date')
      skewMs ??= skewOf(date, before, Date.now())
      const value = isStripeObject(answer) ? read(answer) : undefined
      if (value === undefined) return { kind: 'failure', failure: { kind: 'other', code: 'not an answer of Stripe' } }
      return value === null ? { kind: 'absent' } : { kind: 'found', value }
    } catch (error) {
      return outcomeOf(error)
    }
  }
  const [endpoints, portal, refunds, ...prices] = await Promise.all([
    call(
      () => stripe.webhookEndpoints.list({ limit: pageSize }),
      (answer) => (answer as { data: StripeEndpoint[] }).data
    ),
    call(
      () => stripe.billingPortal.configurations.list({ is_default: true, active: true, limit: 1 }),
      (answer) => (answer as { data: StripePortal[] }).data[0] ?? null
    ),
    call(
      () => stripe.refunds.list({ limit: 1 }),
      () => true as const
    ),
    ...priceIds.map(async (id) => {
      const price = await call(
        () => stripe.prices.retrieve(id),
        (answer) => answer as unknown as StripePrice
      )
      return [id, price] as const
    })
  ])
  return { prices: new Map(prices), endpoints, portal, refunds, skewMs }
}

/** The client takes any JSON for an answer of Stripe, also that of a proxy. */
const isStripeObject = (answer: object): boolean =>
  ['list', 'price'].includes(String((answer as { object?: unknown }).object))

function outcomeOf(error: unknown): Exclude<Call<never>, { kind: 'found' }> {
  const { statusCode, code, message = '' } = error as { statusCode?: number; code?: string; message?: string }
  if (statusCode === 404 && code === 'resource_missing') return { kind: 'absent' }
  if (statusCode !== undefined && statusCode >= 400) return { kind: 'refused', status: statusCode, message }
  const detail = (error as { detail?: unknown }).detail
  return { kind: 'failure', failure: failureOf(typeof detail === 'object' ? detail : error) }
}

const portalPage = 'Stripe: Settings → Billing → Customer portal'

const { error, warning, ok } = resultsOf('Stripe')

/** Compares each price of the catalog with Stripe's. */
export function judgePrices(
  calls: ReadonlyMap<string, Call<StripePrice>>,
  plans: ReadonlyArray<readonly [id: string, plan: Plan]>
): Finding[] {
  const refused = [...calls.values()].find((call) => call.kind === 'refused')
  if (refused?.kind === 'refused') {
    return [
      warning('payments_prices_unreadable', {
        what: `The key may not read prices: ${refused.message}`,
        why: 'The prices of the catalog could not be compared with those at Stripe.',
        fix: 'Stripe: Developers → API keys → your restricted key: allow Prices: Read.'
      })
    ]
  }
  return plans.flatMap(([plan, { prices = [] }]) =>
    prices.flatMap((price) => judgePrice(price, plan, calls.get(price.id)))
  )
}

function judgePrice(price: PlanPrice, plan: string, call: Call<StripePrice> | undefined): Finding[] {
  const name = `${price.id} of plan ${plan}`
  const catalog = `plans.${plan}.prices in the catalog`
  if (call?.kind === 'absent') {
    const text = {
      what: `Stripe has no price ${name}.`,
      why: price.isSold ? 'Nobody can buy the plan at this price.' : 'Stripe cannot bill subscribers at this price.',
      fix: `Copy the id from Stripe: Product catalog → the product → the price, into ${catalog}. Is it from the mode (test or live) of the key?`
    }
    return [price.isSold ? error('price_absent', text) : warning('price_absent', text)]
  }
  if (call?.kind !== 'found') return []
  const { value } = call
  if (value.type !== 'recurring' || value.recurring === null) {
    return [
      error('price_not_recurring', {
        what: `The price ${name} is a one-time price at Stripe.`,
        why: 'Checkout refuses it for a subscription.',
        fix: `Stripe: Product catalog → the product: add a recurring price, and put its id into ${catalog}.`
      })
    ]
  }
  return [...judgeArchived(price, name, value), ...judgeTerms(price, name, catalog, value)]
}

function judgeArchived({ isSold }: PlanPrice, name: string, { active }: StripePrice): Finding[] {
  if (active || !isSold) return []
  return [
    error('price_archived', {
      what: `The price ${name} is archived at Stripe.`,
      why: 'Nobody can buy the plan at this price.',
      fix: 'Stripe: Product catalog → the product → the price → Unarchive. Or set `sold: false` in the catalog.'
    })
  ]
}

function judgeTerms(price: PlanPrice, name: string, catalog: string, value: StripePrice): Finding[] {
  const { interval, interval_count: count } = value.recurring!
  const charged = `${value.unit_amount ?? 'a tiered amount of'} ${value.currency} per ${count === 1 ? '' : `${count} `}${interval}`
  const ofCatalog = `${price.amount} ${price.currency} per ${price.interval}`
  if (charged === ofCatalog) return []
  return [
    error('price_differs', {
      what: `The price ${name} is ${ofCatalog} in the catalog, and ${charged} at Stripe.`,
      why: 'Customers see one price and pay another.',
      fix: `Correct ${catalog}, or make a new price at Stripe. Amounts are in the smallest unit: 2000 usd is USD 20.`
    })
  ]
}

/** @param soldPrices the number of prices that customers can choose from */
export function judgePortal(call: Call<StripePortal>, soldPrices: number): Finding[] {
  if (call.kind === 'absent') {
    return [
      error('portal_absent', {
        what: 'Stripe has no configuration of the customer portal.',
        why: 'Customers cannot open the portal: GET /api/billing/portal answers 503.',
        fix: `${portalPage}: choose what customers may do, and save.`
      })
    ]
  }
  if (call.kind !== 'found') {
    return [
      warning('portal_unreadable', {
        what: `The key may not read the configuration of the customer portal${call.kind === 'refused' ? `: ${call.message}` : '.'}`,
        why: 'The configuration could not be checked.',
        fix: 'Stripe: Developers → API keys → your restricted key: allow Customer portal: Write.'
      })
    ]
  }
  const { features } = call.value
  const wanted: Array<[enabled: boolean, what: string]> = [
    [features.payment_method_update.enabled, 'update their card'],
    [features.subscription_cancel.enabled, 'cancel'],
    [features.subscription_update.enabled || soldPrices < 2, 'switch plans']
  ]
  const missing = wanted.flatMap(([enabled, what]) => (enabled ? [] : [what]))
  if (missing.length === 0) return []
  return [
    warning('portal_features', {
      what: `In the customer portal, customers cannot ${missing.join(', nor ')}.`,
      why: 'Tollgate has no pages for this: it leads customers to the portal.',
      fix: `${portalPage}: allow it, and save.`
    })
  ]
}

/** Checks that control can subtract refunds from revenue. */
export function judgeRefunds(call: Call<true>): Finding[] {
  if (call.kind !== 'refused') return []
  return [
    warning('refunds_unreadable', {
      what: `The key may not read refunds: ${call.message}`,
      why: 'Revenue on the money page is too high by what was refunded.',
      fix: 'Stripe: Developers → API keys → your restricted key: allow Charges and Refunds: Read.'
    })
  ]
}

const webhooksPage = 'Stripe: Developers → Webhooks'
const why = 'Plans follow payments only at the hourly comparison (RECONCILE_INTERVAL), not within seconds.'

/** Checks that Stripe reports all events to control's webhook. */
export function judgeEndpoints(call: Call<readonly StripeEndpoint[]>, publicUrl: string): Result[] {
  const url = `${publicUrl}/api/billing/webhook`
  if (call.kind !== 'found') {
    return [
      warning('webhooks_unreadable', {
        what: `The key may not read webhook endpoints${call.kind === 'refused' ? `: ${call.message}` : '.'}`,
        why: 'The endpoint could not be checked.',
        fix: `${webhooksPage}: compare address (${url}) and events by hand. Or allow Webhook Endpoints: Read for the key.`
      })
    ]
  }
  const ours = call.value.filter((endpoint) => isSameUrl(endpoint.url, url))
  if (ours.length === 0) return [judgeAbsence(call.value, url)]
  const enabled = ours.filter(({ status }) => status === 'enabled')
  if (enabled.length === 0) {
    return [
      error('webhook_disabled', {
        what: `Stripe has disabled the webhook endpoint ${url}.`,
        why,
        fix: `${webhooksPage} → the endpoint → Enable. Stripe disables endpoints that fail for days: look at its event deliveries.`
      })
    ]
  }
  const events = new Set(enabled.flatMap((endpoint) => endpoint.enabled_events))
  const missing = events.has('*') ? [] : [...handledEvents].filter((event) => !events.has(event))
  if (missing.length === 0) return [ok(`The webhook endpoint ${url} is enabled with all events.`)]
  return [
    error('webhook_events', {
      what: `The webhook endpoint lacks the events ${missing.join(', ')}.`,
      why,
      fix: `${webhooksPage} → the endpoint → Edit destination → Select events: add them.`
    })
  ]
}

function judgeAbsence(endpoints: readonly StripeEndpoint[], url: string): Result {
  const similar = endpoints.find((endpoint) => /\/api\/billing\/webhook|\/webhook/.test(endpoint.url))
  return error('webhook_absent', {
    what: `Stripe has no webhook endpoint ${url}.${similar === undefined ? '' : ` It has ${similar.url}.`}`,
    why,
    fix: `${webhooksPage} → Add destination: ${url}, with the events ${[...handledEvents].join(', ')}.`
  })
}
