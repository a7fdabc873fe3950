import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'

type Tokens = Pick<RecordedRequest, 'promptTokens' | 'cachedTokens' | 'completionTokens'>
type Prices = Catalog['models'][string]['prices']

/** What tokens cost by the catalog, nanodollars, rounded up: computed in integers, and not by the code under test. */
export function costOf({ promptTokens, cachedTokens, completionTokens }: Tokens, prices: Prices): number {
  const picos =
    BigInt(promptTokens - cachedTokens) * BigInt(prices.inputPicos) +
    BigInt(cachedTokens) * BigInt(prices.cachedInputPicos) +
    BigInt(completionTokens) * BigInt(prices.outputPicos)
  return Number((picos + 999n) / 1000n)
}

/** Whether the model worked on a call: it has answered, or has not come to an end. One that was reset has, without a status. */
export function hasWorked({ status, finishedAtMs }: RecordedRequest): boolean {
  return status === 200 || (status === null && finishedAtMs === null)
}

/** What the model server has produced in these calls, nanodollars. */
export function producedNanos(requests: readonly RecordedRequest[], prices: Prices): number {
  return requests.filter(hasWorked).reduce((sum, request) => sum + costOf(request, prices), 0)
}
