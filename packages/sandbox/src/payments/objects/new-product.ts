import type { Metadata, WireProduct } from '../wire.ts'
import { newId } from './new-id.ts'

export interface ProductDetails {
  id?: string
  name: string
  description?: string
  active?: boolean
  metadata?: Metadata
}

export function newProduct(details: ProductDetails, nowS: number): WireProduct {
  return {
    id: details.id ?? newId('prod', 14),
    object: 'product',
    active: details.active ?? true,
    created: nowS,
    default_price: null,
    description: details.description ?? null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: details.metadata ?? {},
    name: details.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: nowS,
    url: null
  }
}
