import { inTransaction } from '../../open-sqlite.ts'
import type { PaymentsContext } from '../context.ts'
import { allFeatures, newPortalConfiguration } from '../objects/new-portal-configuration.ts'
import { newPrice } from '../objects/new-price.ts'
import { newProduct } from '../objects/new-product.ts'
import { newWebhookEndpoint } from '../objects/new-webhook-endpoint.ts'

const configuredEndpoint = 'we_configured'
const defaultPortal = 'bpc_default'

/** Creates or updates the objects that the settings name, as a person would in Stripe's dashboard. */
export function seedAccount(context: PaymentsContext): void {
  inTransaction(context.database, () => {
    seedProducts(context)
    seedWebhook(context)
    if (context.settings.hasDefaultPortal) seedPortal(context)
  })
}

/** A changed amount applies to new subscriptions; existing ones keep the old amount. */
function seedProducts({ settings, objects, clock }: PaymentsContext): void {
  const nowS = clock.nowS()
  for (const { id, name, prices } of settings.products) {
    const product = objects.get('product', id) ?? newProduct(id, name, nowS)
    objects.put('product', { ...product, name, active: true })
    for (const { id: priceId, unit_amount, currency, interval } of prices) {
      const price = newPrice({ id: priceId, product: id, currency, unitAmount: unit_amount, interval }, nowS)
      objects.put('price', { ...price, created: objects.get('price', priceId)?.created ?? nowS })
    }
  }
}

function seedWebhook({ settings, objects, clock }: PaymentsContext): void {
  if (settings.webhook === null) {
    objects.remove('endpoint', configuredEndpoint)
    return
  }
  const { url, secrets } = settings.webhook
  const endpoint = newWebhookEndpoint(configuredEndpoint, url, clock.nowS())
  objects.put('endpoint', { id: endpoint.id, endpoint, secrets })
}

function seedPortal({ objects, clock }: PaymentsContext): void {
  if (objects.get('billing_portal.configuration', defaultPortal) !== null) return
  objects.put(
    'billing_portal.configuration',
    newPortalConfiguration(
      {
        id: defaultPortal,
        isDefault: true,
        features: allFeatures,
        headline: null,
        defaultReturnUrl: null,
        metadata: {},
        name: null
      },
      clock.nowS()
    )
  )
}
