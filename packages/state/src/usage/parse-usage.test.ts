import assert from 'node:assert/strict'
import { zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import { test } from 'tap'
import { packNumbers } from '../wire/packed.ts'
import { parseUsage, placeOf } from './usage.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const name = `${account}:490000:0123456789abcdef|key_1|small`
const born = 1_790_000_000_000_001

const packed = (...numbers: number[]): Buffer => Buffer.from(packNumbers(...numbers), 'latin1')

test('counters are read, and a correction may be below zero', async () => {
  const late = `${account}:490000:0123456789abcdef~490002|key_1|a/model|with bars`
  assert.deepEqual(parseUsage(late, packed(3, 1, 30, 10, 5, Number.MIN_SAFE_INTEGER, -1, -2, 7, born, 1, 4)), {
    name: late,
    account,
    hour: 490_000,
    run: `0123456789abcdef~490002.${born}`,
    upstream: '',
    revision: 7,
    born,
    key: 'key_1',
    model: 'a/model|with bars',
    ...zeroCounts,
    requests: 3,
    errors: 1,
    promptTokens: 30,
    cachedTokens: 10,
    completionTokens: 5,
    costNanos: Number.MIN_SAFE_INTEGER,
    estimatedRequests: -1,
    estimatedNanos: -2,
    reasoningTokens: 4
  })
})

test('rare counters are at the end of a row, and 0 in a row without them', async () => {
  const frequent = [1, 0, 30, 0, 5, 9, 0, 0, 7, born, 1, 0]
  const { cacheWriteTokens, toolCalls } = parseUsage(name, packed(...frequent, 1, 2, 3, 4, 5, 6, 7))
  assert.deepEqual([cacheWriteTokens, toolCalls], [1, 7])
  assert.equal(parseUsage(name, packed(...frequent)).toolCalls, 0)
})

test('the upstream is part of the run, so that rows of different upstreams add up', async () => {
  for (const [run, upstream] of [
    ['0123456789abcdef', ''],
    ['0123456789abcdef-openai', 'openai'],
    ['0123456789abcdef-azure-eu_2~490002', 'azure-eu_2']
  ] as const) {
    const of = `${account}:490000:${run}|key_1|small`
    const usage = parseUsage(of, packed(1, 0, 0, 0, 0, 0, 0, 0, 1, born, 1, 0))
    assert.deepEqual([usage.run, usage.upstream], [`${run}.${born}`, upstream])
    assert.deepEqual(placeOf(of), { account, field: `u:490000:${run}|key_1|small` })
  }
})

test('missing counters of a row from an older version are 0', async () => {
  const { requests, estimatedNanos, revision, reasoningTokens } = parseUsage(
    name,
    packed(3, 1, 30, 10, 5, 9, 1, 2, 7, born, 1)
  )
  assert.deepEqual(
    { requests, estimatedNanos, revision, reasoningTokens },
    {
      requests: 3,
      estimatedNanos: 2,
      revision: 7,
      reasoningTokens: 0
    }
  )
})

test('a row that cannot be stored is refused with the reason', async () => {
  const good = [1, 0, 0, 0, 0, 0, 0, 0, 1, born, 1, 0]
  assert.equal(parseUsage(name, packed(...good)).run, `0123456789abcdef.${born}`)
  const cases: Array<[name: string, packed: Buffer, reason: RegExp]> = [
    ['nobody:490000:run|key_1|small', packed(...good), /name/],
    [name.replace('490000', '12345678'), packed(...good), /name/],
    [name.replace('490000', '0490000'), packed(...good), /name/],
    [name.replace(account, account.toUpperCase()), packed(...good), /name/],
    [name.replace('|small', ''), packed(...good), /name/],
    [name.replace('key_1', ''), packed(...good), /name/],
    [name, packed(...good.with(0, 1.5)), /integer/],
    [name, packed(...good.with(7, Number.NaN)), /integer/],
    [name, packed(...good.with(5, 2 ** 53)), /integer/],
    [name, packed(...good.with(8, 0.5)), /integer/],
    [name, packed(...good.with(9, Infinity)), /integer/],
    [name, packed(...good.slice(0, 10)), /counters/],
    [name, packed(...good, ...Object.values<number>(zeroCounts)), /counters/],
    [name, packed(...good).subarray(1), /counters/],
    [name.replace('key_1', 'key\0'), packed(...good), /stored/],
    [name.replace('small', 'x'.repeat(501)), packed(...good), /stored/]
  ]
  for (const [of, value, reason] of cases) assert.throws(() => parseUsage(of, value), reason)
})

test('the name of a row gives its account and field', async () => {
  assert.deepEqual(placeOf(name), { account, field: 'u:490000:0123456789abcdef|key_1|small' })
  assert.equal(placeOf(`${account}:490000:0123456789abcdef`), null)
})
