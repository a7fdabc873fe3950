/** What is on sale from the start. */
export interface SeedProduct {
  readonly id: string
  readonly name: string
  readonly prices: readonly SeedPrice[]
}

export interface SeedPrice {
  readonly id: string
  /** In the smallest unit of the currency. */
  readonly unit_amount: number
  /** Lower-case ISO code. */
  readonly currency: string
  readonly interval: 'month' | 'year'
}

/** An endpoint that gets every event, as if registered in Stripe's dashboard. */
export interface ConfiguredWebhook {
  readonly url: string
  /** `whsec_…`. Deliveries are signed with each: there are several while a secret is rolled. */
  readonly secrets: readonly string[]
}

/** How the account is configured. The defaults of {@link completeSettings} are like those of a new Stripe account. */
export interface PaymentsSettings {
  /** The secret key that requests must carry. */
  readonly apiKey: string
  /** Whose name is on the pages and invoices. */
  readonly businessName: string
  readonly products: readonly SeedProduct[]
  readonly webhook: ConfiguredWebhook | null
  /** Whether a default configuration of the portal has been saved, as one does in Stripe's dashboard. */
  readonly hasDefaultPortal: boolean
  /** Days after each failed payment of a renewal until the next try. */
  readonly retryDays: readonly number[]
  /** What happens to a subscription when the last try has failed. */
  readonly afterLastRetry: 'cancel' | 'unpaid'
  /** The pause before the second try of a webhook; each further one is twice as long, up to a minute. */
  readonly webhookRetryMs: number
  /** After so many tries a delivery has failed for good. */
  readonly webhookTries: number
  /** How long an endpoint may take to answer. */
  readonly webhookTimeoutMs: number
}

export type GivenSettings = Pick<PaymentsSettings, 'apiKey'> & Partial<PaymentsSettings>

export function completeSettings(given: GivenSettings): PaymentsSettings {
  return {
    apiKey: given.apiKey,
    businessName: given.businessName ?? 'Tollgate',
    products: given.products ?? [],
    webhook: given.webhook ?? null,
    hasDefaultPortal: given.hasDefaultPortal ?? true,
    retryDays: given.retryDays ?? [3, 5, 7],
    afterLastRetry: given.afterLastRetry ?? 'cancel',
    webhookRetryMs: given.webhookRetryMs ?? 500,
    webhookTries: given.webhookTries ?? 20,
    webhookTimeoutMs: given.webhookTimeoutMs ?? 10_000
  }
}
