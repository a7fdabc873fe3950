import { usualPrices } from './describe-prices.ts'
import type { PricedModel } from './find-models.ts'

export const orderOptions = [
  ['', 'Catalog order'],
  ['input', 'Lowest input price'],
  ['output', 'Lowest output price'],
  ['context', 'Largest context']
] as const

/** Sorts models by one of {@link orderOptions}. Models without output come last by output price; others stay in catalog order. */
export function sortModels(models: readonly PricedModel[], order: string | undefined): PricedModel[] {
  const sizeOf = (model: PricedModel): number => {
    switch (order) {
      case 'input':
        return usualPrices(model).input
      case 'output':
        return model.max_output_tokens === 0 ? Number.POSITIVE_INFINITY : usualPrices(model).output
      case 'context':
        return -model.context_tokens
      default:
        return 0
    }
  }
  const sized = models.map((model) => ({ model, size: sizeOf(model) }))
  return sized.sort((a, b) => (a.size === b.size ? 0 : a.size - b.size)).map(({ model }) => model)
}
