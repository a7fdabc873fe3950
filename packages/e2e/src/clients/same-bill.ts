import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { UsageResponse } from '@tollgate/contracts/http/usage.ts'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import type { Person } from '../person.ts'
import { recordedRequests, type TestSystem } from '../start-test-system.ts'

const counters = ['requests', 'prompt_tokens', 'cached_tokens', 'cache_write_tokens', 'completion_tokens'] as const
type Row = Record<(typeof counters)[number] | 'nanos', number>

const nothing: Row = {
  requests: 0,
  prompt_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  completion_tokens: 0,
  nanos: 0
}

/** Nanodollars per token, as in the catalog of these tests. */
const nanosOf = ({ promptTokens, cachedTokens, cacheWriteTokens, completionTokens }: RecordedRequest) =>
  Math.ceil(
    (promptTokens - cachedTokens - cacheWriteTokens) * 150 +
      cachedTokens * 75 +
      cacheWriteTokens * 187.5 +
      completionTokens * 600
  )

/** Asserts that the ledger has exactly the requests, tokens and cost of each model that the model server billed. */
export async function assertSameBill(system: TestSystem, payer: Person, models: string[]): Promise<void> {
  const billed: Record<string, Row> = {}
  for (const request of await recordedRequests(system)) {
    const { model, endpoint } = request
    if (!models.includes(model ?? '') || !/^\/v1\/(responses|messages)$/.test(endpoint)) continue
    billed[model!] ??= { ...nothing }
    const row = billed[model!]!
    row.requests++
    row.prompt_tokens += request.promptTokens
    row.cached_tokens += request.cachedTokens
    row.cache_write_tokens += request.cacheWriteTokens
    row.completion_tokens += request.completionTokens
    row.nanos += nanosOf(request)
  }
  assert.deepEqual(Object.keys(billed).sort(), [...models].sort(), 'every client made requests')
  // Control moves usage from Redis to the ledger every few seconds.
  const deadline = performance.now() + 15_000
  for (;;) {
    const charged = await chargedTo(payer, models)
    if (isDeepStrictEqual(charged, billed) || performance.now() > deadline) return assert.deepEqual(charged, billed)
    await delay(200)
  }
}

async function chargedTo(payer: Person, models: string[]): Promise<Record<string, Row>> {
  const { body } = await payer.call<UsageResponse>('GET', '/api/usage?interval=month&group_by=model')
  const ofClients = body.buckets.filter(({ model }) => models.includes(model ?? ''))
  const rows = ofClients.map((bucket): [string, Row] => {
    const row = { ...nothing, nanos: Math.round(Number(bucket.cost_usd) * 1e9) }
    for (const name of counters) row[name] = bucket[name]
    return [bucket.model!, row]
  })
  return Object.fromEntries(rows)
}
