import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { writeCsv } from '../pages/usage/write-usage-csv.ts'
import { describeChange, rangeBefore } from './compare.ts'
import { groupUsage } from './group-usage.ts'
import { describeWithoutLine, latencyLines, stackUsage, sumByStart } from './stack-usage.ts'
import { type Bucket, bucketStarts, sumByGroup } from './sum-usage.ts'
import { emptyBucket } from './testing/empty-bucket.ts'
import { describeRareCounters, stackTokenKinds } from './token-kinds.ts'
import { daysOfMonth, rangeOfDays, ranges, usageRange } from './usage-range.ts'

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
        if (name === 'last-month') continue
        const { from, to, interval } = usageRange(name, now)
        const starts = bucketStarts(from, to, interval)
        assert.equal(starts[0], from.toISOString())
        assert.ok(to > now && to.getTime() - now.getTime() <= 3_600_000)
        assert.ok(new Date(starts.at(-1) ?? 0) <= now)
        assert.equal(starts.length, { day: 24, week: 7, month: 30, quarter: 90, 'this-month': now.getUTCDate() }[name])
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
    { id: '=f', name: 'f', values: [0, 24] },
    { id: '=e', name: 'e', values: [0, 20] },
    { id: '=d', name: 'd', values: [0, 16] },
    { id: '=c', name: 'c', values: [0, 12] },
    { id: '', name: '2 others', values: [0, 12] }
  ])
  assert.deepEqual(stackUsage(buckets.slice(0, 1), starts, 'cost', models), [{ id: '=a', name: 'a', values: [0, 0.1] }])
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

test('groups together in the report, groups without a value, and hostile values stay apart', async () => {
  const start = '2026-05-01T00:00:00.000Z'
  const { model, ...plain } = bucket(start, '', 1)
  const { heading, groupOf, nameOf, filterOf } = groupUsage({ group_by: 'metadata.tenant' })
  assert.equal(heading, 'Tag: tenant')
  const cases = [
    [{ metadata_value: 'acme' }, 'acme', { 'metadata.tenant': 'acme' }],
    [{ metadata_value: 'Others' }, 'Others', { 'metadata.tenant': 'Others' }],
    [{ metadata_value: '-' }, '-', { 'metadata.tenant': '-' }],
    [{ metadata_value: '' }, '(empty)', null],
    [{ metadata_value: null }, 'Without tenant', null],
    [{ others: true }, 'Others', null]
  ] as const
  const ids = cases.map(([members]) => groupOf({ ...plain, ...members }))
  assert.equal(new Set(ids).size, cases.length)
  assert.deepEqual(
    ids.map((id) => [nameOf(id), filterOf(id)]),
    cases.map(([, name, filter]) => [name, filter])
  )
  const members = groupUsage({ group_by: 'member', members: [{ id: 'u1', name: 'Ada' }] })
  assert.deepEqual(
    [members.nameOf('=u1'), members.nameOf('=u2'), members.nameOf('-')],
    ['Ada', 'Deleted members', 'Deleted members']
  )
})

test('the kinds of tokens do not overlap, and add up to all tokens', async () => {
  const count = fc.nat({ max: 1000 })
  const start = '2026-05-01T00:00:00.000Z'
  fc.assert(
    fc.property(fc.array(count, { minLength: 10, maxLength: 10 }), (parts) => {
      const [cached, write, long, audio, image, text, reasoning, spoken, drawn, output] = parts as [
        ...[number, number, number, number, number],
        ...[number, number, number, number, number]
      ]
      const one: Bucket = {
        ...emptyBucket,
        start,
        prompt_tokens: cached + write + long + audio + image + text,
        cached_tokens: cached,
        cache_write_tokens: write,
        long_cache_write_tokens: long,
        audio_input_tokens: audio,
        image_input_tokens: image,
        completion_tokens: reasoning + spoken + drawn + output,
        reasoning_tokens: reasoning,
        audio_output_tokens: spoken,
        image_output_tokens: drawn
      }
      const sum = stackTokenKinds([one], [start]).reduce((total, { values }) => total + (values[0] ?? 0), 0)
      assert.equal(sum, one.prompt_tokens + one.completion_tokens)
      const stacked = stackUsage([one], [start], 'kinds', groupUsage({ group_by: 'none' }))
      assert.ok(stacked.length <= 5)
      assert.equal(
        stacked.reduce((total, { values }) => total + (values[0] ?? 0), 0),
        sum
      )
      assert.deepEqual(sumByStart([one], [start], 'kinds'), [sum])
    })
  )
})

test('a range of days includes both, ends with the current hour, and has a number of bars that fits', async () => {
  const now = new Date('2026-11-25T16:20:00Z')
  for (const [first, last, expected] of [
    ['2026-11-01', '2026-11-10', ['2026-11-01T00:00', '2026-11-11T00:00', 'day']],
    ['2026-11-25', '2026-11-25', ['2026-11-25T00:00', '2026-11-25T17:00', 'hour']],
    ['2026-11-23', '2026-11-30', ['2026-11-23T00:00', '2026-11-25T17:00', 'day']],
    ['2025-01-15', '2026-11-10', ['2025-01-15T00:00', '2026-11-11T00:00', 'month']],
    ['2026-12-01', '2026-12-01', ['2026-12-01T00:00', '2026-12-02T00:00', 'hour']],
    ['2026-11-10', '2026-11-01', null],
    ['2026-02-31', '2026-03-01', null],
    ['soon', '2026-03-01', null],
    [undefined, '2026-03-01', null]
  ] as const) {
    const range = rangeOfDays(first, last, now)
    assert.deepEqual(
      range && [range.from.toISOString().slice(0, 16), range.to.toISOString().slice(0, 16), range.interval],
      expected
    )
  }
})

test('the range before has as many bars, and ends where the range begins or before', async () => {
  const day = fc.integer({ min: 0, max: 2000 }).map((days) => new Date(Date.UTC(2024, 0) + days * 86_400_000))
  const now = new Date('2026-11-25T16:20:00Z')
  fc.assert(
    fc.property(day, fc.nat({ max: 500 }), (from, days) => {
      const last = new Date(from.getTime() + days * 86_400_000)
      const range = rangeOfDays(from.toISOString().slice(0, 10), last.toISOString().slice(0, 10), now)
      assert.ok(range)
      if (range.isMonth) return
      const before = rangeBefore(range)
      const starts = (of: typeof range) => bucketStarts(of.from, of.to, of.interval)
      assert.ok(before.from < before.to)
      assert.equal(starts(before).length, starts(range).length)
      assert.ok(starts(before).at(-1)! < starts(range)[0]!)
    })
  )
  const thirty = usageRange('month', now)
  assert.equal(rangeBefore(thirty).to.toISOString(), '2026-10-26T17:00:00.000Z')
})

test('months are those of UTC, and are compared with the month before', async () => {
  const textOf = ({ from, to, interval }: ReturnType<typeof usageRange>) =>
    `${from.toISOString().slice(0, 16)} ${to.toISOString().slice(0, 16)} ${interval}`
  for (const [at, name, range, before] of [
    ['2026-11-25T16:20', 'this-month', '2026-11-01T00:00 2026-11-25T17:00', '2026-10-01T00:00 2026-10-25T17:00'],
    ['2026-11-01T00:00', 'this-month', '2026-11-01T00:00 2026-11-01T01:00', '2026-10-01T00:00 2026-10-01T01:00'],
    ['2026-03-30T16:20', 'this-month', '2026-03-01T00:00 2026-03-30T17:00', '2026-02-01T00:00 2026-03-01T00:00'],
    ['2026-03-31T16:20', 'last-month', '2026-02-01T00:00 2026-03-01T00:00', '2026-01-01T00:00 2026-02-01T00:00'],
    ['2026-01-15T16:20', 'last-month', '2025-12-01T00:00 2026-01-01T00:00', '2025-11-01T00:00 2025-12-01T00:00']
  ] as const) {
    const month = usageRange(name, new Date(`${at}Z`))
    assert.deepEqual([textOf(month), textOf(rangeBefore(month))], [`${range} day`, `${before} day`])
  }
  const now = new Date('2026-11-25T16:20:00Z')
  const { from, to } = daysOfMonth('2026-02')
  assert.deepEqual([from, to], ['2026-02-01', '2026-02-28'])
  assert.deepEqual(
    rangeOfDays(from, to, new Date('2026-03-05T00:00Z')),
    usageRange('last-month', new Date('2026-03-05'))
  )
  assert.equal(
    rangeBefore(rangeOfDays('2026-11-01', '2026-11-10', now)!).from.toISOString(),
    '2026-10-22T00:00:00.000Z'
  )
})

test('changes are percents, and an impossible percent is not shown', async () => {
  for (const [before, after, text] of [
    [100, 112, '+12%'],
    [100, 97, '-3%'],
    [100, 100, '0%'],
    [0, 5, 'new'],
    [0, 0, ''],
    [0.01, 80, '> +999%']
  ] as const) {
    assert.equal(describeChange(after, before), text)
  }
})

test('lines of latency are those of the groups with the most requests, with gaps', async () => {
  const starts = ['2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z']
  const measured = (model: string) => ({
    model,
    requests: 1,
    first_byte_ms: { p50: 1, p95: 2 },
    duration_ms: { p50: 3, p95: 4 }
  })
  const totals = ['a', 'b', 'c', 'd', 'e', 'f'].map(measured)
  const buckets = totals.map((one) => ({ ...one, start: '2026-05-02T00:00:00Z' }))
  const lines = latencyLines({ buckets, totals }, starts, 'whole95', groupUsage({ group_by: 'model' }))
  assert.deepEqual(lines[0], { id: '=a', name: 'a', values: [null, 4] })
  assert.deepEqual(
    lines.map(({ name }) => name),
    ['a', 'b', 'c', 'd', 'e']
  )
  assert.match(
    describeWithoutLine({ totals, group_by: 'model' }) ?? '',
    /^The chart shows the 5 models .* leaves out 1\./
  )
  const merged = [...totals, { ...measured(''), others: true as const }]
  assert.match(describeWithoutLine({ totals: merged, group_by: 'metadata.a' }) ?? '', /5 groups .* at least 2\./)
  assert.equal(describeWithoutLine({ totals: totals.slice(1), group_by: 'model' }), null)
})

test('each bar names its rare counters, summed over all groups, and none that are 0', async () => {
  const starts = ['2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z']
  const buckets = [
    { ...bucket('2026-05-02T00:00:00Z', 'a', 1), tool_calls: 2, cache_write_tokens: 1200 },
    { ...bucket('2026-05-02T00:00:00Z', 'b', 1), tool_calls: 1 }
  ]
  assert.deepEqual(describeRareCounters(buckets, starts), ['', 'Cache write 1,200 · Tool calls 3'])
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
