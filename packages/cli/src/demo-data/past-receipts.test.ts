import assert from 'node:assert/strict'
import type { OfferedModel } from '@tollgate/contracts/http/account.ts'
import { test } from 'tap'
import { pastReceipt } from './past-receipts.ts'
import type { PastRequest } from './past-usage.ts'

const model: OfferedModel = {
  id: 'm',
  kind: 'chat',
  usd_per_million_tokens: { input: 2, cached_input: 0.5, output: 8, reasoning: 10 }
}
const served: PastRequest = {
  ...{ key: 'key', model: 'm', at: 1_790_000_000, failed: false, costNanos: 2_800_000 },
  ...{ sentTokens: 1000, promptTokens: 1000, cachedTokens: 0, completionTokens: 100, reasoningTokens: 0 }
}
const failed: PastRequest = { ...served, failed: true, costNanos: 0, promptTokens: 0, completionTokens: 0 }

test('a failed request had the same reservation as a served one, and costs nothing', async () => {
  const [one, other] = [served, failed].map((request) => pastReceipt('account', request, [model], () => 0.5))
  assert.equal(one!.heldNanos, 1000 * 2000 + 4096 * 10_000)
  assert.equal(one!.heldTokens, 1000 + 4096)
  assert.ok(one!.heldNanos > one!.costNanos)
  assert.partialDeepStrictEqual(other!, {
    ...{ heldNanos: one!.heldNanos, heldTokens: one!.heldTokens, status: 502, code: 'upstream_error' },
    ...{ costNanos: 0, promptTokens: 0, rates: null, firstByteMs: null }
  })
})
