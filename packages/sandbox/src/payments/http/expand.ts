import { invalidRequest } from '../errors.ts'
import { paymentOf } from '../objects/new-invoice.ts'
import type { Kind } from '../store/kinds.ts'
import type { Objects } from '../store/objects.ts'
import type { WireInvoice } from '../wire.ts'

/** Fields that hold an id, with the kind of the object. */
const references: Readonly<Record<string, Kind>> = {
  customer: 'customer',
  subscription: 'subscription',
  invoice: 'invoice',
  latest_invoice: 'invoice',
  default_payment_method: 'payment_method',
  product: 'product',
  price: 'price',
  default_price: 'price',
  configuration: 'billing_portal.configuration'
}

const maxDepth = 4

type Fields = Record<string, unknown>

/**
 * Replaces ids in an answer by their objects, along the requested paths, such as `data.latest_invoice`. Adds fields that
 * answers contain only if expanded, such as the `line_items` of a checkout session.
 *
 * @throws StripeApiError 400 for a path that cannot be expanded
 */
export function expandAnswer(answer: object, paths: readonly string[], objects: Objects): object {
  if (paths.length === 0) return answer
  const copy: Fields = structuredClone({ ...answer })
  for (const path of paths) {
    const parts = path.split('.')
    if (parts.length > maxDepth) {
      throw invalidRequest(`You cannot expand more than ${maxDepth} levels of a property. Property: ${path}`)
    }
    expandPath(copy, parts, path, objects)
  }
  return copy
}

function expandPath(value: unknown, parts: readonly string[], path: string, objects: Objects): void {
  const [name, ...rest] = parts
  if (name === undefined || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) expandPath(item, parts, path, objects)
    return
  }
  if (!isFields(value)) throw cannotExpand(path)
  value[name] = expanded(value, name, path, objects)
  expandPath(value[name], rest, path, objects)
}

function expanded(object: Fields, name: string, path: string, objects: Objects): unknown {
  const present = object[name]
  if (present === undefined) return included(object, name, path, objects)
  if (typeof present !== 'string') return present
  const kind = references[name]
  if (kind === undefined) throw cannotExpand(path)
  const found = objects.get(kind, present) ?? (kind === 'customer' ? objects.get('deleted_customer', present) : null)
  return found ?? present
}

/** Adds a field that answers contain only if expanded. */
function included(object: Fields, name: string, path: string, objects: Objects): unknown {
  const id = String(object.id)
  const whole = (data: readonly unknown[], url: string) => ({ object: 'list', data, has_more: false, url })
  if (object.object === 'checkout.session' && name === 'line_items') {
    return whole(objects.get('order', id)?.lineItems ?? [], `/v1/checkout/sessions/${id}/line_items`)
  }
  if (object.object === 'customer' && name === 'subscriptions') {
    const live = objects.list('subscription', id).filter(({ status }) => status !== 'canceled')
    return whole(live, `/v1/customers/${id}/subscriptions`)
  }
  const invoice: WireInvoice | null = object.object === 'invoice' ? objects.get('invoice', id) : null
  if (invoice !== null && name === 'payments') return whole([paymentOf(invoice)], `/v1/invoice_payments?invoice=${id}`)
  throw cannotExpand(path)
}

function cannotExpand(path: string) {
  const tip = path.startsWith('data.') ? '' : ` You may want to try expanding 'data.${path}' instead.`
  return invalidRequest(`This property cannot be expanded (${path}).${tip}`, { param: 'expand' })
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
