import assert from 'node:assert/strict'
import { test } from 'tap'
import { type Bucket, bucketStarts, nothing, sumByGroup, sumUsage } from './sum-usage.ts'
import { emptyBucket } from './testing/empty-bucket.ts'

const bucket = (model: string, cost_usd: string, requests = 1): Bucket => ({
  ...emptyBucket,
  model,
  requests,
  errors: 1,
  prompt_tokens: 10,
  cached_tokens: 4,
  completion_tokens: 5,
  reasoning_tokens: 2,
  cost_usd
})

test('sums include all counters of the buckets', async () => {
  assert.deepEqual(sumUsage([]), nothing)
  assert.deepEqual(sumUsage([bucket('a', '0.25', 2), bucket('b', '0.50')]), {
    ...nothing,
    requests: 3,
    errors: 2,
    promptTokens: 20,
    cachedTokens: 8,
    completionTokens: 10,
    reasoningTokens: 4,
    costUsd: 0.75
  })
})

test('groups are sorted by cost, the highest first', async () => {
  const groups = sumByGroup([bucket('a', '0.10'), bucket('b', '0.30'), bucket('a', '0.25')], ({ model = '' }) => model)
  assert.deepEqual(
    groups.map(({ group, sums }) => [group, Math.round(sums.costUsd * 100)]),
    [
      ['a', 35],
      ['b', 30]
    ]
  )
})

test('a range includes every UTC hour, day or month that it overlaps', async () => {
  const from = new Date('2026-02-27T23:10:00Z')
  assert.deepEqual(bucketStarts(from, new Date('2026-03-01T00:00:00Z'), 'day'), [
    '2026-02-27T00:00:00.000Z',
    '2026-02-28T00:00:00.000Z'
  ])
  assert.equal(bucketStarts(from, new Date('2026-02-28T01:00:00Z'), 'hour').length, 2)
  assert.deepEqual(bucketStarts(from, new Date('2026-03-01T01:00:00Z'), 'month'), [
    '2026-02-01T00:00:00.000Z',
    '2026-03-01T00:00:00.000Z'
  ])
})
