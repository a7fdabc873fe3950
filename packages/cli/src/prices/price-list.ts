import type { Provider } from '@pydantic/genai-prices'

/**
 * The version of the library that package.json installs, and the day on which it was published: its prices are of that
 * day.
 */
export const priceListVersion = '0.1.8'
export const priceListDay = '2026-09-23'

/**
 * USD per million tokens, or per thousand calls or requests. A prompt of more than `start` tokens has that tier's
 * price.
 */
export type ListPrice =
  | number
  | { readonly base: number; readonly tiers: ReadonlyArray<{ start: number; price: number }> }

/** A model in the price list. */
export interface ListEntry {
  /** Provider and model, such as `openai/gpt-5`. */
  readonly id: string
  /** By the list's names of kinds, such as `input_mtok`. */
  readonly prices: Readonly<Record<string, ListPrice | undefined>>
}

/** Who serves a model. */
export interface Served {
  readonly upstream: string
  /** The upstream's name of the model. */
  readonly model: string
  readonly ownedBy: string
}

export interface PriceList {
  /** A model's entry at a time (Unix milliseconds); null if the list does not know the model. */
  find(served: Served, at: number): ListEntry | null
}

/**
 * Opens the price list of `@pydantic/genai-prices`. Its data comes with the library, so nothing is fetched.
 *
 * The provider is the one with the upstream's host, else the one with the upstream's name, else the model's owner.
 *
 * @param baseUrls of upstreams, as far as they are known
 */
export async function openPriceList(baseUrls: ReadonlyMap<string, string>): Promise<PriceList> {
  // 830 kB that no other command needs.
  const { calcPrice, findProvider } = await import('@pydantic/genai-prices')

  function providerOf({ upstream, ownedBy }: Served): Provider | undefined {
    const url = baseUrls.get(upstream)
    const ofHost = url === undefined ? undefined : findProvider({ providerApiUrl: url })
    if (ofHost !== undefined) return ofHost
    // The library also finds names that contain a provider's. Any upstream may have such a name.
    const ofName = findProvider({ providerId: upstream })
    return ofName?.id === upstream ? ofName : findProvider({ providerId: ownedBy })
  }

  return {
    find(served, at) {
      const provider = providerOf(served)
      if (provider === undefined) return null
      const match = calcPrice({}, served.model, { providerId: provider.id, timestamp: new Date(at) })
      return match === null ? null : { id: `${match.provider.id}/${match.model.id}`, prices: match.model_price }
    }
  }
}
