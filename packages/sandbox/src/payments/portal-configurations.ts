import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { PaymentsContext } from './context.ts'
import { checkUrl, findRecurringPrice, findReference, findResource, mergeMetadata } from './find.ts'
import type { Api } from './http/api.ts'
import { listPage } from './http/list-page.ts'
import { clearable, fields, flag, list, metadata, oneOf, optional, paging, text } from './http/read-params.ts'
import { registerCall } from './http/register-call.ts'
import { type Metadata, newId, type WirePortalConfiguration } from './wire.ts'

const proration = optional(oneOf('always_invoice', 'create_prorations', 'none'))

const Features = fields({
  customer_update: optional(
    fields({
      enabled: flag,
      allowed_updates: optional(list(oneOf('address', 'email', 'name', 'phone', 'shipping', 'tax_id')))
    })
  ),
  invoice_history: optional(fields({ enabled: flag })),
  payment_method_update: optional(fields({ enabled: flag })),
  subscription_cancel: optional(
    fields({
      enabled: flag,
      mode: optional(oneOf('at_period_end', 'immediately')),
      proration_behavior: proration
    })
  ),
  subscription_pause: optional(fields({ enabled: flag })),
  subscription_update: optional(
    fields({
      enabled: flag,
      default_allowed_updates: optional(list(oneOf('price', 'promotion_code', 'quantity'))),
      products: optional(list(fields({ product: text, prices: list(text) }))),
      proration_behavior: proration
    })
  )
})

const business = optional(fields({ headline: clearable(text) }))

export function registerPortalConfigurations(app: FastifyInstance, api: Api): void {
  const url = '/v1/billing_portal/configurations'

  registerCall(app, api, {
    method: 'POST',
    url,
    params: {
      features: Features,
      business_profile: business,
      default_return_url: clearable(text),
      name: clearable(text),
      metadata
    },
    run(context, params) {
      if (params.default_return_url) checkUrl(params.default_return_url, 'default_return_url')
      const configuration = newPortalConfiguration(
        {
          isDefault: false,
          features: readFeatures(context, noFeatures, params.features),
          headline: params.business_profile?.headline ?? null,
          defaultReturnUrl: params.default_return_url ?? null,
          name: params.name ?? null,
          metadata: mergeMetadata(null, params.metadata)
        },
        context.clock.nowS()
      )
      context.objects.put('billing_portal.configuration', configuration)
      context.emit('billing_portal.configuration.created', configuration)
      return configuration
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url,
    params: { ...paging, active: optional(flag), is_default: optional(flag) },
    run({ objects }, { active, is_default, ...page }) {
      const configurations = objects
        .list('billing_portal.configuration')
        .filter((configuration) => active === undefined || configuration.active === active)
        .filter((configuration) => is_default === undefined || configuration.is_default === is_default)
      return listPage(configurations, page, 'configuration', url)
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url: `${url}/:id`,
    params: {},
    run: (context, _params, id) => findResource(context, 'billing_portal.configuration', id)
  })

  registerCall(app, api, {
    method: 'POST',
    url: `${url}/:id`,
    params: {
      active: optional(flag),
      features: optional(Features),
      business_profile: business,
      default_return_url: clearable(text),
      name: clearable(text),
      metadata
    },
    run(context, { features, business_profile, metadata, ...values }, id) {
      if (values.default_return_url) checkUrl(values.default_return_url, 'default_return_url')
      const present = findResource(context, 'billing_portal.configuration', id)
      const changed: WirePortalConfiguration = {
        ...present,
        ...values,
        features: features === undefined ? present.features : readFeatures(context, present.features, features),
        business_profile: { ...present.business_profile, ...business_profile },
        metadata: metadata === undefined ? present.metadata : mergeMetadata(present.metadata, metadata),
        updated: context.clock.nowS()
      }
      context.objects.put('billing_portal.configuration', changed)
      context.emit('billing_portal.configuration.updated', changed)
      return changed
    }
  })
}

/** A portal without features. */
const noFeatures: PortalFeatures = {
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
export const allFeatures: PortalFeatures = {
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

function readFeatures(
  context: PaymentsContext,
  present: WirePortalConfiguration['features'],
  features: Static<typeof Features>
): WirePortalConfiguration['features'] {
  const { products, ...update } = features.subscription_update ?? {}
  const sold = products?.map(({ product, prices }, index) => {
    const param = `features[subscription_update][products][${index}]`
    findReference(context, 'product', product, `${param}[product]`)
    for (const [place, price] of prices.entries()) findRecurringPrice(context, price, `${param}[prices][${place}]`)
    return { adjustable_quantity: { enabled: false, maximum: null, minimum: 1 }, prices, product }
  })
  return {
    customer_update: { ...present.customer_update, ...features.customer_update },
    invoice_history: { ...present.invoice_history, ...features.invoice_history },
    payment_method_update: { ...present.payment_method_update, ...features.payment_method_update },
    subscription_cancel: { ...present.subscription_cancel, ...features.subscription_cancel },
    subscription_pause: { ...present.subscription_pause, ...features.subscription_pause },
    subscription_update: {
      ...present.subscription_update,
      ...update,
      ...(sold !== undefined && { products: sold })
    }
  }
}

type PortalFeatures = WirePortalConfiguration['features']

interface PortalDetails {
  id?: string
  isDefault: boolean
  features: PortalFeatures
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
