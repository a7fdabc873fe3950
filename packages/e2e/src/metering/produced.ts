import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'

type Tokens = Pick<RecordedRequest, 'promptTokens' | 'cachedTokens' | 'completionTokens'>
type Prices = Catalog['models'][string]['prices']

/** Cost of tokens in nanodollars, rounded up. Computed in integers, without the code under test. */
export function costOf({ promptTokens, cachedTokens, completionTokens }: Tokens, prices: Prices): number {
  const picos =
    BigInt(promptTokens - cachedTokens) * BigInt(prices.inputPicos) +
    BigInt(cachedTokens) * BigInt(prices.cachedInputPicos) +
    BigInt(completionTokens) * BigInt(prices.outputPicos)
  return Number((picos + 999n) / 1000n)
}

/**
 * Whether the model worked on a call: it answered, or has not finished. A reset call has finished without a status. Gateways
 * also read the list of models, to check their credentials.
 */
export function hasWorked({ method, status, finishedAtMs }: RecordedRequest): boolean {
  return method === 'POST' && (status === 200 || (status === null && finishedAtMs === null))
}

/** Cost of the model server's work in these calls, nanodollars. */
export function producedNanos(requests: readonly RecordedRequest[], prices: Prices): number {
  return requests.filter(hasWorked).reduce((sum, request) => sum + costOf(request, prices), 0)
}
