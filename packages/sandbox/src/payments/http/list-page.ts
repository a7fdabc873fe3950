import { invalidRequest, missingReference } from '../errors.ts'
import { paymentOf } from '../new-invoice.ts'
import type { Kind, Objects } from '../object-store.ts'
import type { WireInvoice, WireList } from '../wire.ts'

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

export interface PageParams {
  limit?: number
  starting_after?: string
  ending_before?: string
}

export interface RangeParams {
  gt?: number
  gte?: number
  lt?: number
  lte?: number
}

const defaultLimit = 10

/**
 * Returns a page of objects, which are sorted newest first.
 *
 * @param noun the name of the object in errors, as in "No such price"
 * @param url the URL of the list
 * @throws StripeApiError 400 if the cursor's object is not in the list
 */
export function listPage<Item extends { id: string }>(
  items: readonly Item[],
  { limit = defaultLimit, starting_after, ending_before }: PageParams,
  noun: string,
  url: string
): WireList<Item> {
  if (starting_after !== undefined && ending_before !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: ending_before, starting_after.')
  }
  const placeOf = (id: string, param: string) => {
    const place = items.findIndex((item) => item.id === id)
    if (place === -1) throw missingReference(noun, id, param)
    return place
  }
  if (ending_before !== undefined) {
    const end = placeOf(ending_before, 'ending_before')
    const start = Math.max(0, end - limit)
    return { object: 'list', data: items.slice(start, end), has_more: start > 0, url }
  }
  const start = starting_after === undefined ? 0 : placeOf(starting_after, 'starting_after') + 1
  const end = start + limit
  return { object: 'list', data: items.slice(start, end), has_more: end < items.length, url }
}

/** Whether a time lies within a range; true without a range. */
export function isWithin(time: number, { gt, gte, lt, lte }: RangeParams = {}): boolean {
  return (
    (gt === undefined || time > gt) &&
    (gte === undefined || time >= gte) &&
    (lt === undefined || time < lt) &&
    (lte === undefined || time <= lte)
  )
}

type Fields = Record<string, unknown>

/**
 * Replaces ids in an answer by their objects, along the requested paths, such as `data.latest_invoice`. Adds fields
 * that answers contain only if expanded, such as the `line_items` of a checkout session.
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
  const target = objects.get(kind, present) ?? (kind === 'customer' ? objects.get('deleted_customer', present) : null)
  return target ?? present
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
