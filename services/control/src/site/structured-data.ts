import { decimalsOf } from '@tollgate/contracts/money/currency.ts'
import type { SiteContext } from './site-context.ts'
import { modelPath, type SiteFacts, type SiteModel } from './site-facts.ts'

type Data = Readonly<Record<string, unknown>>

/** The plans on sale as products of schema.org. */
export function planOffers({ plans }: SiteFacts, { brand, publicUrl }: SiteContext): Data[] {
  const seller = { '@type': 'Organization', name: brand.name, url: `${publicUrl}/` }
  return plans
    .filter(({ isFree, prices }) => isFree || prices.length > 0)
    .map(({ name, isFree, prices }) => ({
      '@type': 'Product',
      name: `${brand.name} ${name}`,
      brand: { '@type': 'Brand', name: brand.name },
      offers: isFree
        ? [{ '@type': 'Offer', price: '0', priceCurrency: 'USD', url: `${publicUrl}/pricing`, seller }]
        : prices.map(({ amount, currency, interval }) => ({
            '@type': 'Offer',
            url: `${publicUrl}/pricing`,
            seller,
            priceSpecification: {
              '@type': 'UnitPriceSpecification',
              price: (amount / 10 ** decimalsOf(currency)).toFixed(decimalsOf(currency)),
              priceCurrency: currency.toUpperCase(),
              billingDuration: 1,
              unitCode: interval === 'month' ? 'MON' : 'ANN'
            }
          }))
    }))
}

/** A model as a product of schema.org, with its usual prices. */
export function modelProduct(model: SiteModel, { brand, publicUrl }: SiteContext, description: string): Data {
  const { id, usual, max_output_tokens: output } = model
  const kinds = [['input', 'input'] as const, ...(output === 0 ? [] : [['output', 'output'] as const])]
  return {
    '@type': 'Product',
    name: id,
    description,
    category: 'Large language model API',
    brand: { '@type': 'Brand', name: brand.name },
    offers: kinds.map(([kind, name]) => ({
      '@type': 'Offer',
      name: `1M ${name} tokens`,
      url: publicUrl + modelPath(id),
      seller: { '@type': 'Organization', name: brand.name, url: `${publicUrl}/` },
      priceSpecification: {
        '@type': 'UnitPriceSpecification',
        price: usual[kind],
        priceCurrency: 'USD',
        referenceQuantity: { '@type': 'QuantitativeValue', value: 1_000_000, unitText: `${name} tokens` }
      }
    }))
  }
}
