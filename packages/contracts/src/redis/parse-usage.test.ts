import assert from 'node:assert/strict'
import { test } from 'tap'
import { usagePrefix } from '../keyspace/names.ts'
import { isUsageName, parseUsage } from './parse-usage.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const name = `${usagePrefix(account)}490000:0123456789abcdef`
const row = { requests: 0, errors: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, costNanos: 0 }
const none = { ...row, estimatedRequests: 0, estimatedNanos: 0 }

test('counters are read by key and model; what is missing is zero, and a correction may be below it', async () => {
  const usage = parseUsage(`${name}~490002`, {
    rev: '7',
    born: '1790000000000001',
    'n|key_1|a/model|with bars': '3',
    'e|key_1|a/model|with bars': '1',
    'p|key_1|a/model|with bars': '30',
    'c|key_1|a/model|with bars': '10',
    'o|key_1|a/model|with bars': '5',
    'u|key_2|small': '-9007199254740991',
    'x|key_2|small': '-1',
    'y|key_2|small': '-2',
    'z|key_2|small': 'of a later release'
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
  const good = { rev: '1', 'n|key_1|small': '1' }
  assert.equal(parseUsage(name, good).run, '0123456789abcdef')
  const cases: Array<[name: string, fields: Record<string, string>, reason: RegExp]> = [
    ['usage:{a00}:nobody:490000:run', good, /name/],
    [name.replace(/\{a..\}/, '{a00}'), good, /name/],
    [name.replace('490000', '12345678'), good, /name/],
    [name.replace('490000', '0490000'), good, /name/],
    [name.replace(account, account.toUpperCase()), good, /name/],
    [name, { 'n|key_1|small': '1' }, /integer/],
    [name, { ...good, born: 'yesterday' }, /integer/],
    [name, { ...good, 'n|key_1|small': '1.5' }, /integer/],
    [name, { ...good, 'n|key_1|small': '9007199254740993' }, /integer/],
    [name, { ...good, 'n|key_1': '1' }, /field/],
    [name, { ...good, 'n||small': '1' }, /field/],
    [name, { ...good, 'n|key\0|small': '1' }, /stored/],
    [name, { ...good, [`n|key|${'x'.repeat(501)}`]: '1' }, /stored/]
  ]
  for (const [of, fields, reason] of cases) assert.throws(() => parseUsage(of, fields), reason)
  assert.ok(isUsageName(name) && !isUsageName(`${name}:more`))
})
