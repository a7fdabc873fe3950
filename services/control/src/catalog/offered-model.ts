import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { OfferedModel } from '@tollgate/contracts/http/account.ts'

/** Converts picodollars per token to dollars per million tokens. */
const usdPerMillion = (picosPerToken: number): number => picosPerToken / 1e6

/** @param id of a model of the catalog */
export function toOfferedModel({ models }: Catalog, id: string): OfferedModel {
  const { kind, prices } = models[id]!
  const { inputPicos, cachedInputPicos, outputPicos, reasoningPicos = outputPicos } = prices
  return {
    id,
    kind,
    usd_per_million_tokens: {
      input: usdPerMillion(inputPicos),
      cached_input: usdPerMillion(cachedInputPicos),
      output: usdPerMillion(outputPicos),
      reasoning: usdPerMillion(reasoningPicos)
    }
  }
}
