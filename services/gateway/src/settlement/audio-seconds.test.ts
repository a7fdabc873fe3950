import assert from 'node:assert/strict'
import { parseCatalog } from '@tollgate/service/catalog/catalog-file.ts'
import { test } from 'tap'
import { costBound } from '../admission/cost-bound.ts'
import { noUsage } from '../usage/usage.ts'
import { estimatedPromptKinds, priceOf } from './price.ts'

const catalog = parseCatalog(
  `
models:
  whisper: { kind: chat, owned_by: us, created: 1, route: [{ upstream: one }], context_window: 1000,
    max_output_tokens: 9, usd_per_million_tokens: { input: 0, output: 0 }, usd_per_second: { audio: 0.0001 } }
plans:
  free: { name: Free, entitlements: [], key_quota: 1, seats: 1, models: all, caps_usd: { request: 0.05, month: 1 },
    limits: { requests_per_minute: 1, tokens_per_minute: 2, concurrent_requests: 3 } }
`,
  'catalog.yaml'
)

test('a call without tokens costs its seconds of audio, is bounded by them, and is estimated by the bound', async () => {
  const model = catalog.models.whisper!
  const time = { from: Date.now(), until: Date.now() }
  const call = { prices: model.prices, tiers: ['default'], admittedAt: time.from, endedAt: time.until }
  assert.equal(priceOf({ ...noUsage, rare: { audioSeconds: 90 } }, call).costNanos, 9_000_000)
  const others = { audioSeconds: 120 }
  assert.equal(
    costBound({ promptTokens: 0, answers: 0, wantedTokens: 0, others }, model, time).promptPicos,
    12_000_000_000
  )
  const kinds = estimatedPromptKinds(0, { others, mayWriteToCache: false, asksForLongWrites: false }, model.prices)
  assert.equal(kinds.audioSeconds, 120)
})
