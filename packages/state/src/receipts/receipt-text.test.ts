import assert from 'node:assert/strict'
import { rareCounters, rareCounts } from '@tollgate/contracts/meters/meters.ts'
import { type Receipt, receiptKinds } from '@tollgate/contracts/requests/receipt.ts'
import { anyCharacter } from '@tollgate/sandbox/any-character.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { aReceipt } from '../testing/one-account.ts'
import { createReceiptReader, encodeReceipt, encodeReceipts } from './receipt-text.ts'

const decodeReceipt = (line: string) => createReceiptReader()(line)

const text = fc.string({ unit: anyCharacter, maxLength: 20 })
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const whole = fc.maxSafeNat()
const anyReceipt: fc.Arbitrary<Receipt> = fc.record({
  kind: fc.constantFrom(...receiptKinds),
  id: text,
  account: text,
  key: text,
  at: whole,
  count: whole,
  endpoint: text,
  model: orNull(text),
  ...{
    askedModel: orNull(text),
    answeredModel: orNull(text),
    isStream: fc.boolean(),
    upstream: orNull(text),
    attempts: whole
  },
  status: orNull(whole),
  code: orNull(text),
  isEstimated: fc.boolean(),
  clientGone: fc.boolean(),
  ...{ promptTokens: whole, cachedTokens: whole, completionTokens: whole, reasoningTokens: whole, costNanos: whole },
  rare: fc
    .tuple(fc.array(fc.tuple(fc.constantFrom(...rareCounters), whole)), fc.maxSafeInteger())
    .map(([counts, marginNanos]) => rareCounts({ ...Object.fromEntries(counts), marginNanos })),
  heldNanos: whole,
  heldTokens: whole,
  grantedTokens: orNull(whole),
  tier: orNull(text),
  rates: fc.constantFrom(null, '{}', '{"inputPicos":75000,"callNanos":{"a \\"tool\\"":7}}'),
  firstByteMs: orNull(whole),
  durationMs: orNull(whole),
  address: orNull(text),
  refused: orNull(
    fc.record(
      { unit: fc.constantFrom('nanos', 'tokens'), needed: whole, left: whole, limit: whole },
      { noNullPrototype: true }
    )
  ),
  failedAttempts: fc.array(
    fc.record(
      { upstream: text, code: text, status: orNull(whole), startedMs: whole, durationMs: whole },
      { noNullPrototype: true }
    ),
    { maxLength: 3 }
  )
})

test('a receipt is read as it was written, in one line', async () => {
  fc.assert(
    fc.property(anyReceipt, (receipt) => {
      const line = encodeReceipt(receipt)
      assert.ok(!line.includes('\n') && !line.includes('\0'))
      assert.deepEqual(decodeReceipt(line), { ...receipt })
    }),
    propertyRuns(40, 200)
  )
})

test('receipts that are written together are read as they were, each in one line', async () => {
  const some = fc.array(fc.oneof(anyReceipt, fc.record({ id: text, durationMs: whole }).map(aReceipt)), {
    minLength: 1
  })
  fc.assert(
    fc.property(some, (receipts) => {
      const lines = encodeReceipts(receipts).split('\n')
      assert.deepEqual(
        lines.map(createReceiptReader()),
        receipts.map((receipt) => ({ ...receipt }))
      )
    }),
    propertyRuns(40, 200)
  )
})

test('a usual receipt is short, and one after another is much shorter', async () => {
  const [one, other] = [aReceipt(), aReceipt({ id: 'req_5b1d8a52-4f5e-4d7e-9a6c-0d1f6d0a2b11', durationMs: 77 })]
  assert.ok(encodeReceipt(one).length < 400)
  const [, next] = encodeReceipts([one, other]).split('\n')
  assert.equal(next, '~1K["req_5b1d8a52-4f5e-4d7e-9a6c-0d1f6d0a2b11",77]')
})

test('a line that lacks the one before, or has other members than it says, is no receipt', async () => {
  assert.throws(() => decodeReceipt('~1["req_1"]'), /lacks the one before/)
  const read = createReceiptReader()
  read(encodeReceipt(aReceipt()))
  assert.throws(() => read('~1["req_1",2]'), /other members/)
  assert.equal(read('~1["req_2"]').id, 'req_2', 'the next one is read')
})

test('a receipt of a later release is read without what it adds, and one of an earlier release with defaults', async () => {
  const failed = { upstream: 'azure', code: 'upstream_error', status: 500, startedMs: 3, durationMs: 40 }
  const refused = { unit: 'tokens', needed: 5, left: 3, limit: 4 } as const
  const whole = aReceipt({ rare: { toolCalls: 2 }, failedAttempts: [failed], askedModel: 'small', refused })
  const members = JSON.parse(encodeReceipt(whole)) as unknown[]
  assert.deepEqual(decodeReceipt(JSON.stringify([...members, 'more', { of: 'it' }])), whole)
  assert.deepEqual(decodeReceipt(JSON.stringify(members.slice(0, -5))), aReceipt())
})

test('a text that is no receipt is refused', async () => {
  const members = JSON.parse(encodeReceipt(aReceipt())) as unknown[]
  const wrong = (index: number, value: unknown) => JSON.stringify(members.with(index, value))
  for (const broken of [
    '',
    '{}',
    '[]',
    '[9]',
    wrong(0, 7),
    wrong(1, 5),
    wrong(4, 1.5),
    wrong(9, true),
    wrong(16, -1)
  ]) {
    assert.throws(() => decodeReceipt(broken), Error, broken)
  }
  for (const broken of [wrong(25, []), wrong(25, 'x'), wrong(29, [-1]), wrong(29, 5)]) {
    assert.throws(() => decodeReceipt(broken), Error, broken)
  }
})
