import type { WireProduct } from '../wire.ts'

export function newProduct(id: string, name: string, nowS: number): WireProduct {
  return {
    id,
    object: 'product',
    active: true,
    created: nowS,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    name,
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
