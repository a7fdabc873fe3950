/** A product that is on sale from the start. */
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

/** An endpoint that receives every event, as if registered in Stripe's dashboard. */
export interface ConfiguredWebhook {
  readonly url: string
  /** `whsec_…`. Each signs every delivery; there are several during a rotation. */
  readonly secrets: readonly string[]
}

/** The account's settings. The defaults of {@link completeSettings} are like those of a new Stripe account. */
export interface PaymentsSettings {
  /** The secret key that requests must carry. */
  readonly apiKey: string
  /** The name on pages and invoices. */
  readonly businessName: string
  readonly products: readonly SeedProduct[]
  readonly webhook: ConfiguredWebhook | null
  /** Tax on top of every invoice, in percent; 0 by default. */
  readonly taxPercent: number
  /** Whether the portal has a default configuration, which Stripe's dashboard would save. */
  readonly hasDefaultPortal: boolean
  /** Days from each failed renewal payment to the next attempt. */
  readonly retryDays: readonly number[]
  /** What happens to a subscription when the last attempt fails. */
  readonly afterLastRetry: 'cancel' | 'unpaid'
  /** The pause before a webhook's second attempt. Each further pause doubles, up to a minute. */
  readonly webhookRetryMs: number
  /** The number of attempts after which a delivery fails for good. */
  readonly webhookTries: number
  /** The time that an endpoint has to answer. */
  readonly webhookTimeoutMs: number
}

export type GivenSettings = Pick<PaymentsSettings, 'apiKey'> & Partial<PaymentsSettings>

export function completeSettings(settings: GivenSettings): PaymentsSettings {
  return {
    apiKey: settings.apiKey,
    businessName: settings.businessName ?? 'Tollgate',
    products: settings.products ?? [],
    webhook: settings.webhook ?? null,
    taxPercent: settings.taxPercent ?? 0,
    hasDefaultPortal: settings.hasDefaultPortal ?? true,
    retryDays: settings.retryDays ?? [3, 5, 7],
    afterLastRetry: settings.afterLastRetry ?? 'cancel',
    webhookRetryMs: settings.webhookRetryMs ?? 500,
    webhookTries: settings.webhookTries ?? 20,
    webhookTimeoutMs: settings.webhookTimeoutMs ?? 10_000
  }
}
