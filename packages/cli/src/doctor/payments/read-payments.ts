import { createStripeClient, pageSize } from '@tollgate/control/billing/stripe/stripe-client.ts'
import { type Failure, failureOf } from '../network/failure.ts'
import { skewOf } from '../network/get.ts'

/** The members of Stripe's objects that the check reads. */
export interface StripePrice {
  readonly active: boolean
  readonly currency: string
  readonly unit_amount: number | null
  readonly type: string
  readonly recurring: { readonly interval: string; readonly interval_count: number } | null
}

export interface StripeEndpoint {
  readonly url: string
  readonly status: string
  readonly enabled_events: readonly string[]
}

export interface StripePortal {
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
  /** How far Stripe's clock is ahead of this machine's, ms; null if no call told. */
  readonly skewMs: number | null
}

type StripeAnswer = object & { readonly lastResponse?: { readonly headers: Record<string, string> } }

/** Reads prices, webhook endpoints and the portal's configuration. Changes nothing, and never rejects. */
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
  const [endpoints, portal, ...prices] = await Promise.all([
    call(
      () => stripe.webhookEndpoints.list({ limit: pageSize }),
      (answer) => (answer as { data: StripeEndpoint[] }).data
    ),
    call(
      () => stripe.billingPortal.configurations.list({ is_default: true, active: true, limit: 1 }),
      (answer) => (answer as { data: StripePortal[] }).data[0] ?? null
    ),
    ...priceIds.map(async (id) => {
      const price = await call(
        () => stripe.prices.retrieve(id),
        (answer) => answer as unknown as StripePrice
      )
      return [id, price] as const
    })
  ])
  return { prices: new Map(prices), endpoints, portal, skewMs }
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
