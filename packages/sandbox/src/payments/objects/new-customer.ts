import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'
import type { Metadata, WireCustomer } from '../wire.ts'
import { newId } from './new-id.ts'

export interface CustomerDetails {
  email?: string | null
  name?: string | null
  phone?: string | null
  description?: string | null
  metadata?: Metadata
}

export function newCustomer(details: CustomerDetails, nowS: number): WireCustomer {
  return {
    id: newId('cus', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created: nowS,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: details.description ?? null,
    discount: null,
    email: details.email ?? null,
    invoice_prefix: randomBase62(8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: details.metadata ?? {},
    name: details.name ?? null,
    next_invoice_sequence: 1,
    phone: details.phone ?? null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null
  }
}
