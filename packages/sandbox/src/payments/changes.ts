import { isDeepStrictEqual } from 'node:util'
import type { PaymentsContext } from './context.ts'
import type { WireCustomer, WireInvoice, WireSubscription } from './wire.ts'

// Each function stores changes of an object, and emits an event if something changed.

export function changeCustomer(
  context: PaymentsContext,
  customer: WireCustomer,
  changes: Partial<WireCustomer>
): WireCustomer {
  const changed = { ...customer, ...changes }
  context.objects.put('customer', changed)
  const previous = previousAttributes(customer, changed)
  if (Object.keys(previous).length > 0) context.emit('customer.updated', changed, previous)
  return changed
}

export function changeSubscription(
  context: PaymentsContext,
  subscription: WireSubscription,
  changes: Partial<WireSubscription>
): WireSubscription {
  const changed = { ...subscription, ...changes }
  context.objects.put('subscription', changed)
  const previous = previousAttributes(subscription, changed)
  if (Object.keys(previous).length > 0) context.emit('customer.subscription.updated', changed, previous)
  return changed
}

export function changeInvoice(
  context: PaymentsContext,
  invoice: WireInvoice,
  changes: Partial<WireInvoice>
): WireInvoice {
  const changed = { ...invoice, ...changes }
  context.objects.put('invoice', changed)
  const previous = previousAttributes(invoice, changed)
  if (Object.keys(previous).length > 0) context.emit('invoice.updated', changed, previous)
  return changed
}

/** The former values of changed fields, for an event. Both objects have the same top-level fields. */
export function previousAttributes<Stored extends object>(before: Stored, after: Stored): Partial<Stored> {
  const changed = Object.entries(before).filter(([name, value]) => !isDeepStrictEqual(value, Reflect.get(after, name)))
  return Object.fromEntries(changed) as Partial<Stored>
}
