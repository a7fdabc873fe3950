import assert from 'node:assert/strict'
import { test } from 'tap'
import { usagePrefix } from '../keyspace/names.ts'
import { packNumbers } from './packed.ts'
import { isUsageName, parseUsage } from './parse-usage.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const name = `${usagePrefix(account)}490000:0123456789abcdef`
const row = { requests: 0, errors: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, costNanos: 0 }
const none = { ...row, estimatedRequests: 0, estimatedNanos: 0 }

const packed = (...counters: number[]): Buffer => Buffer.from(packNumbers(...counters), 'latin1')
const text = (of: string): Buffer => Buffer.from(of)

test('counters are read by key and model, and a correction may be below zero', async () => {
  const usage = parseUsage(`${name}~490002`, {
    rev: text('7'),
    born: text('1790000000000001'),
    'key_1|a/model|with bars': packed(3, 1, 30, 10, 5, 0, 0, 0),
    'key_2|small': packed(0, 0, 0, 0, 0, Number.MIN_SAFE_INTEGER, -1, -2, 9)
  })
  assert.deepEqual(usage, {
    name: `${name}~490002`,
    account,
    hour: 490_000,
    run: '0123456789abcdef~490002.1790000000000001',
    revision: 7,
    born: '1790000000000001',
    rows: [
      {
        ...none,
        key: 'key_1',
        model: 'a/model|with bars',
        requests: 3,
        errors: 1,
        promptTokens: 30,
        cachedTokens: 10,
        completionTokens: 5
      },
      {
        ...none,
        key: 'key_2',
        model: 'small',
        costNanos: Number.MIN_SAFE_INTEGER,
        estimatedRequests: -1,
        estimatedNanos: -2
      }
    ]
  })
})

test('what cannot be stored is refused, and says why', async () => {
  const some = packed(1, 0, 0, 0, 0, 0, 0, 0)
  const good = { rev: text('1'), 'key_1|small': some }
  assert.equal(parseUsage(name, good).run, '0123456789abcdef')
  const cases: Array<[name: string, fields: Record<string, Buffer>, reason: RegExp]> = [
    ['usage:{a00}:nobody:490000:run', good, /name/],
    [name.replace(/\{a..\}/, '{a00}'), good, /name/],
    [name.replace('490000', '12345678'), good, /name/],
    [name.replace('490000', '0490000'), good, /name/],
    [name.replace(account, account.toUpperCase()), good, /name/],
    [name, { 'key_1|small': some }, /integer/],
    [name, { ...good, born: text('yesterday') }, /integer/],
    [name, { ...good, 'key_1|small': packed(1.5, 0, 0, 0, 0, 0, 0, 0) }, /integer/],
    [name, { ...good, 'key_1|small': packed(0, 0, 0, 0, 0, 0, 0, Number.NaN) }, /integer/],
    [name, { ...good, 'key_1|small': packed(0, 0, 0, 0, 0, 2 ** 53, 0, 0) }, /integer/],
    [name, { ...good, 'key_1|small': packed(0, 0, 0, 0, 0, 0, 0) }, /counters/],
    [name, { ...good, 'key_1|small': some.subarray(1) }, /counters/],
    [name, { ...good, key_1: some }, /field/],
    [name, { ...good, '|small': some }, /field/],
    [name, { ...good, 'key\0|small': some }, /stored/],
    [name, { ...good, [`key|${'x'.repeat(501)}`]: some }, /stored/]
  ]
  for (const [of, fields, reason] of cases) assert.throws(() => parseUsage(of, fields), reason)
  assert.ok(isUsageName(name) && !isUsageName(`${name}:more`))
})
