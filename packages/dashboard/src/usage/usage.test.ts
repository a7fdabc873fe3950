import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { groupUsage } from './group-usage.ts'
import { describeRareCounters } from './rare-counters.ts'
import { stackUsage } from './stack-usage.ts'
import { type Bucket, bucketStarts, sumByGroup } from './sum-usage.ts'
import { emptyBucket } from './testing/empty-bucket.ts'
import { ranges, usageRange } from './usage-range.ts'
import { writeCsv } from './write-csv.ts'

const bucket = (start: string, model: string, requests: number): Bucket => ({
  ...emptyBucket,
  start,
  model,
  requests,
  prompt_tokens: 3 * requests,
  completion_tokens: requests,
  cost_usd: '0.10'
})

test('every range ends with the current hour and has whole bars', async () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('2020-01-01'), max: new Date('2090-01-01'), noInvalidDate: true }), (now) => {
      for (const [name] of ranges) {
        const { from, to, interval } = usageRange(name, now)
        const starts = bucketStarts(from, to, interval)
        assert.equal(starts[0], from.toISOString())
        assert.ok(to > now && to.getTime() - now.getTime() <= 3_600_000)
        assert.ok(new Date(starts.at(-1) ?? 0) <= now)
        assert.equal(starts.length, { day: 24, week: 7, month: 30, quarter: 90 }[name])
      }
    })
  )
})

test('series include all buckets, the largest group first, and the smallest groups together', async () => {
  const starts = ['2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z']
  const buckets = ['a', 'b', 'c', 'd', 'e', 'f'].map((model, number) =>
    bucket('2026-05-02T00:00:00Z', model, number + 1)
  )
  const models = groupUsage({ group_by: 'model' })
  const series = stackUsage(buckets, starts, 'tokens', models)
  assert.deepEqual(series, [
    { id: 'f', name: 'f', values: [0, 24] },
    { id: 'e', name: 'e', values: [0, 20] },
    { id: 'd', name: 'd', values: [0, 16] },
    { id: 'c', name: 'c', values: [0, 12] },
    { id: '', name: '2 others', values: [0, 12] }
  ])
  assert.deepEqual(stackUsage(buckets.slice(0, 1), starts, 'cost', models), [{ id: 'a', name: 'a', values: [0, 0.1] }])
})

test('keys with the same label stay separate and get distinct names', async () => {
  const keys = [
    { id: 'key_1', label: 'Shop', prefix: 'tg_aaaaa' },
    { id: 'key_2', label: 'Shop', prefix: 'tg_bbbbb' },
    { id: 'key_3', label: '2 others', prefix: 'tg_ccccc' }
  ]
  const start = '2026-05-01T00:00:00.000Z'
  const buckets = keys.map(({ id: key_id }) => {
    const { model, ...plain } = bucket(start, '', 1)
    return { ...plain, key_id }
  })
  const groups = groupUsage({ group_by: 'key', keys })
  assert.deepEqual(
    sumByGroup(buckets, groups.groupOf).map(({ group }) => groups.nameOf(group)),
    ['Shop (tg_aaaaa…)', 'Shop (tg_bbbbb…)', '2 others']
  )
  assert.equal(new Set(stackUsage(buckets, [start], 'cost', groups).map(({ id }) => id)).size, 3)
})

test('each bar names its rare counters, summed over all groups, and none that are 0', async () => {
  const starts = ['2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z']
  const buckets = [
    { ...bucket('2026-05-02T00:00:00Z', 'a', 1), tool_calls: 2, cache_write_tokens: 1200 },
    { ...bucket('2026-05-02T00:00:00Z', 'b', 1), tool_calls: 1 }
  ]
  assert.deepEqual(describeRareCounters(buckets, starts), ['', 'Cache writes 1,200 · Tool calls 3'])
})

test('a CSV file keeps every cell, and none becomes a formula in a spreadsheet', async () => {
  assert.equal(
    writeCsv(
      ['label', 'requests'],
      [
        ['a "b", c', 3],
        ['=HYPERLINK("http://evil")', 1],
        ['-1', 2],
        ['plain', 0]
      ]
    ),
    'label,requests\r\n"a ""b"", c",3\r\n"\'=HYPERLINK(""http://evil"")",1\r\n\'-1,2\r\nplain,0\r\n'
  )
})
