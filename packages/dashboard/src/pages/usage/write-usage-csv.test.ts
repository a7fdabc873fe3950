import assert from 'node:assert/strict'
import { isRare, shownCounters, shownCounts } from '@tollgate/contracts/meters/meters.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { emptyBucket } from '../../usage/testing/empty-bucket.ts'
import { readFilters } from '../requests/read-filters.ts'
import { requestsOfBar, requestsOfRange } from './to-requests.ts'
import { readHidden, readUsageSearch, writeHidden } from './usage-search.ts'
import { writeLatencyCsv, writeUsageCsv } from './write-usage-csv.ts'

const bucket = {
  ...emptyBucket,
  key_id: 'key_1',
  requests: 3,
  errors: 1,
  prompt_tokens: 20,
  cached_tokens: 5,
  completion_tokens: 7,
  reasoning_tokens: 2,
  cost_usd: '0.000000123'
}

test('an export has exact numbers and the labels of keys', async () => {
  assert.equal(
    writeUsageCsv({
      group_by: 'key',
      buckets: [bucket],
      keys: [{ id: 'key_1', label: 'My, key', prefix: 'tg_abcde' }]
    }),
    `start,key_id,key_label,${shownCounts.join(',')},cost_usd\r\n` +
      `2026-05-05T00:00:00.000Z,key_1,"My, key",3,1,20,5,7,2${',0'.repeat(shownCounters.filter(isRare).length)},0.000000123\r\n`
  )
  const { key_id, ...plain } = bucket
  assert.match(writeUsageCsv({ group_by: 'none', buckets: [plain] }), /^start,requests,/)
  assert.match(
    writeUsageCsv({ group_by: 'model', buckets: [{ ...plain, model: 'gpt-4o' }] }),
    /^start,model,.*\r\n2026-05-05T00:00:00\.000Z,gpt-4o,3,/
  )
})

test('an export of latency, and of tags and members, names its groups', async () => {
  const measured = { requests: 3, first_byte_ms: { p50: 1, p95: 2 }, duration_ms: { p50: 3, p95: 4 } }
  const start = '2026-05-05T00:00:00.000Z'
  assert.equal(
    writeLatencyCsv({
      group_by: 'metadata.tenant',
      buckets: [
        { start, metadata_value: '=1+1', ...measured },
        { start, metadata_value: null, ...measured },
        { start, others: true, ...measured }
      ]
    }),
    'start,metadata.tenant,measured_requests,first_byte_p50_ms,first_byte_p95_ms,duration_p50_ms,duration_p95_ms\r\n' +
      `${start},'=1+1,3,1,2,3,4\r\n${start},,3,1,2,3,4\r\n${start},others,3,1,2,3,4\r\n`
  )
  const { key_id, ...plain } = bucket
  assert.match(
    writeUsageCsv({
      group_by: 'member',
      buckets: [{ ...plain, member_id: 'u1' }],
      members: [{ id: 'u1', name: 'Ada' }]
    }),
    /^start,member_id,member_name,requests.*\r\n2026-05-05T00:00:00\.000Z,u1,Ada,3,/
  )
})

test('an address keeps everything that the page shows, and nothing else', async () => {
  const search = {
    range: 'week',
    from: '2026-11-01',
    to: '2026-11-10',
    by: 'metadata.tenant',
    show: 'latency',
    of: 'whole95',
    compare: 'yes',
    hide: '%3Da,'
  } as const
  assert.deepEqual(readUsageSearch({ ...search, other: '1' }), search)
  assert.deepEqual(
    readUsageSearch({
      range: 'century',
      from: '2026-02-31',
      to: 'now',
      by: '<script>',
      show: '',
      of: 'p99',
      compare: 'no',
      hide: ''
    }),
    {}
  )
})

test('an address with days in the wrong order, or only one day, names no days', async () => {
  for (const days of [{ from: '2026-11-10', to: '2026-11-01' }, { from: '2026-11-10' }, { to: '2026-11-01' }]) {
    assert.deepEqual(readUsageSearch(days), {})
  }
})

test('hidden series with any id survive the address', async () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme' })), (ids) => {
      assert.deepEqual(readHidden(writeHidden(new Set(ids))), new Set(ids))
    })
  )
  assert.deepEqual(readHidden('%E0%A4%A,'), new Set())
})

test('a bar, a group and the whole range lead to exactly their requests', async () => {
  const filters = (search: ReturnType<typeof requestsOfBar>) => {
    const { from, to } = readFilters(search)
    return [from, to]
  }
  for (const [start, interval, end] of [
    ['2026-05-05T07:00:00.000Z', 'hour', '2026-05-05T08:00:00.000Z'],
    ['2026-05-05T00:00:00.000Z', 'day', '2026-05-06T00:00:00.000Z'],
    ['2026-02-01T00:00:00.000Z', 'month', '2026-03-01T00:00:00.000Z']
  ] as const) {
    assert.deepEqual(filters(requestsOfBar(start, interval)), [start, end])
  }
  const range = {
    from: new Date('2026-05-01T00:00:00Z'),
    to: new Date('2026-05-04T16:00:00Z'),
    interval: 'day'
  } as const
  assert.deepEqual(readFilters(requestsOfRange(range, { 'metadata.tenant': 'acme' })), {
    'metadata.tenant': 'acme',
    from: '2026-05-01T00:00:00.000Z',
    to: '2026-05-05T00:00:00.000Z'
  })
})
