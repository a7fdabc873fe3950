import type { PaymentsContext } from './context.ts'
import { invalidRequest, missingReference, missingResource } from './errors.ts'
import type { Kind, Kinds } from './object-store.ts'
import type { Metadata, WireCustomer, WirePrice } from './wire.ts'

const nouns: Partial<Record<Kind, string>> = {
  payment_method: 'PaymentMethod',
  'checkout.session': 'checkout.session',
  endpoint: 'webhook endpoint',
  'billing_portal.configuration': 'configuration'
}

/** @throws StripeApiError 404 */
export function findResource<K extends Kind>({ objects }: PaymentsContext, kind: K, id: string): Kinds[K] {
  const object = objects.get(kind, id)
  if (object === null) throw missingResource(nouns[kind] ?? kind, id)
  return object
}

/** @throws StripeApiError 400 that names the parameter */
export function findReference<K extends Kind>(
  { objects }: PaymentsContext,
  kind: K,
  id: string,
  param: string
): Kinds[K] {
  const object = objects.get(kind, id)
  if (object === null) throw missingReference(nouns[kind] ?? kind, id, param)
  return object
}

/** @throws StripeApiError 400 that names the parameter, also for a deleted customer */
export function findCustomer(context: PaymentsContext, id: string, param = 'customer'): WireCustomer {
  return findReference(context, 'customer', id, param)
}

/** Finds an active recurring price. @throws StripeApiError 400 that names the parameter */
export function findRecurringPrice(context: PaymentsContext, id: string, param: string): WirePrice {
  const price = findReference(context, 'price', id, param)
  if (!price.active)
    throw invalidRequest(`The price specified is inactive. This field only accepts active prices.`, { param })
  if (price.recurring === null) {
    throw invalidRequest(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      { param }
    )
  }
  return price
}

/**
 * Checks the `customer` parameter of a list. A deleted customer still has its objects.
 *
 * @throws StripeApiError 400 for an unknown customer
 */
export function checkListedCustomer({ objects }: PaymentsContext, id: string | undefined): void {
  if (id === undefined || objects.get('customer', id) !== null || objects.get('deleted_customer', id) !== null) return
  throw missingReference('customer', id, 'customer')
}

/** @throws StripeApiError 400 `url_invalid` unless it is an absolute http(s) URL */
export function checkUrl(url: string, param: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalidRequest('Not a valid URL', { code: 'url_invalid', param })
  }
}

/** Metadata after an update: given keys are set, empty ones removed, null removes all. */
export function mergeMetadata(present: Metadata | null, changes: Metadata | null | undefined): Metadata {
  if (changes === null) return {}
  const merged = { ...present, ...changes }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ''))
}
