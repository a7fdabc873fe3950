import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { ChargeRates } from '@tollgate/contracts/prices/charge-rates.ts'
import type { ListedPrices } from '@tollgate/contracts/prices/model-prices.ts'

/** A kind of usage that the catalog and the price list can both have a price for. */
export interface PriceKind {
  /** The catalog file's name, for tokens. */
  readonly name: string
  /** The name in the price list. */
  readonly listKey: string
  /** Whether a model's catalog entry sets a price for it, beyond what applies without one. */
  isPriced(model: Model): boolean
  /** Whether the gateway admits requests of the model that can use it. */
  canOccur(model: Model): boolean
  /** What Tollgate charges: millionths of the list's unit, which is USD per million tokens or per thousand calls. */
  charged(rates: ChargeRates): number
}

const always = (): boolean => true
const never = (): boolean => false

/** @param canOccur whether the gateway admits it without a price */
function tokens(
  name: string,
  listKey: string,
  member: keyof ListedPrices,
  canOccur: (model: Model) => boolean
): PriceKind {
  const isPriced = ({ prices }: Model): boolean =>
    member === 'cachedInputPicos' ? prices.cachedInputPicos !== prices.inputPicos : prices[member] !== undefined
  return {
    name,
    listKey,
    isPriced,
    canOccur: (model) => isPriced(model) || canOccur(model),
    charged: (rates) => rates[member]
  }
}

/** Calls of a tool that the provider runs. */
function calls(type: string, listKey: string): PriceKind {
  const isPriced = ({ prices }: Model): boolean => prices.callNanos?.[type] !== undefined
  const charged = (rates: ChargeRates): number => rates.callNanos[type]!
  return { name: `1000 calls of ${type}`, listKey, isPriced, canOccur: isPriced, charged }
}

const requests: PriceKind = {
  name: '1000 requests',
  listKey: 'requests_kcount',
  isPriced: ({ prices }) => (prices.requestNanos ?? 0) > 0,
  canOccur: always,
  charged: (rates) => rates.requestNanos
}

const inputKinds: readonly PriceKind[] = [
  tokens('input', 'input_mtok', 'inputPicos', always),
  tokens('cached_input', 'cache_read_mtok', 'cachedInputPicos', always),
  tokens('cache_write', 'cache_write_mtok', 'cacheWritePicos', always),
  tokens('cache_write_long', 'cache_write_1h_mtok', 'longCacheWritePicos', never),
  tokens('audio_input', 'input_audio_mtok', 'audioInputPicos', ({ audio }) => audio !== undefined),
  tokens('image_input', 'input_image_mtok', 'imageInputPicos', ({ images }) => images !== undefined)
]
const outputKinds: readonly PriceKind[] = [
  tokens('output', 'output_mtok', 'outputPicos', always),
  tokens('reasoning', 'output_reasoning_mtok', 'reasoningPicos', always),
  tokens('audio_output', 'output_audio_mtok', 'audioOutputPicos', never),
  tokens('image_output', 'output_image_mtok', 'imageOutputPicos', never)
]
const otherKinds: readonly PriceKind[] = [
  requests,
  calls('web_search', 'web_searches_kcount'),
  calls('file_search', 'storage_searches_kcount')
]

/** The kinds that requests of a model can use. */
export function kindsOf(model: Model): PriceKind[] {
  // Embeddings have no output, but the catalog file has a price for it.
  const all =
    model.kind === 'embedding' ? [...inputKinds, ...otherKinds] : [...inputKinds, ...outputKinds, ...otherKinds]
  return all.filter((kind) => kind.canOccur(model))
}
