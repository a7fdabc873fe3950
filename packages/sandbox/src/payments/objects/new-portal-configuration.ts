import type { Metadata, WirePortalConfiguration } from '../wire.ts'
import { newId } from './new-id.ts'

type Features = WirePortalConfiguration['features']

export interface PortalDetails {
  id?: string
  isDefault: boolean
  features: Features
  headline: string | null
  defaultReturnUrl: string | null
  metadata: Metadata
  name: string | null
}

export function newPortalConfiguration(details: PortalDetails, nowS: number): WirePortalConfiguration {
  return {
    id: details.id ?? newId('bpc'),
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: { headline: details.headline, privacy_policy_url: null, terms_of_service_url: null },
    created: nowS,
    default_return_url: details.defaultReturnUrl,
    features: details.features,
    is_default: details.isDefault,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: details.metadata,
    name: details.name,
    updated: nowS
  }
}

/** A portal without features. */
export const noFeatures: Features = {
  customer_update: { allowed_updates: [], enabled: false },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false, payment_method_configuration: null },
  subscription_cancel: {
    cancellation_reason: { enabled: false, feedback_options: null, options: [] },
    enabled: false,
    mode: 'at_period_end',
    proration_behavior: 'none'
  },
  subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
  subscription_update: {
    billing_cycle_anchor: 'unchanged',
    default_allowed_updates: [],
    enabled: false,
    products: [],
    proration_behavior: 'none',
    schedule_at_period_end: { conditions: [] },
    trial_update_behavior: 'end_trial'
  }
}

/** A portal with every feature of this server. Plans can be switched to all active prices. */
export const allFeatures: Features = {
  ...noFeatures,
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true, payment_method_configuration: null },
  subscription_cancel: { ...noFeatures.subscription_cancel, enabled: true },
  subscription_update: {
    ...noFeatures.subscription_update,
    default_allowed_updates: ['price'],
    enabled: true,
    proration_behavior: 'always_invoice'
  }
}
