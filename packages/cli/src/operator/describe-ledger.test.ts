import assert from 'node:assert/strict'
import { test } from 'tap'
import { addReceipts, type ComparedReceipts, describeReceipts, isExplained } from './describe-ledger.ts'

const compared: ComparedReceipts = {
  started_at: '2026-11-01T00:00:00.000Z',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-23T12:00:00.000Z',
  requests: 100,
  ledger_usd: '12.50',
  receipts_usd: '12.50',
  late_rows: 0,
  folded_days: 0,
  differing: 0,
  differences: [],
  dropped: 0,
  skipped: 0,
  adjustments_usd: '0.00'
}
const difference: ComparedReceipts['differences'][number] = {
  account_id: '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11',
  from: compared.from,
  to: '2026-11-01T01:00:00.000Z',
  ledger_requests: 10,
  receipt_requests: 7,
  ledger_usd: '1.00',
  receipts_usd: '0.70',
  ledger_tokens: 100,
  receipt_tokens: 70,
  reason: 'receipts_missing'
}
const differing = (...changed: Array<Partial<typeof difference>>): ComparedReceipts => ({
  ...compared,
  differences: changed.map((one) => ({ ...difference, ...one })),
  differing: changed.length
})

test('missing receipts are explained only by as many dropped and skipped ones', async () => {
  assert.equal(isExplained(compared), true)
  assert.equal(isExplained(differing({})), false)
  assert.equal(isExplained({ ...differing({}), dropped: 2 }), false)
  assert.equal(isExplained({ ...differing({}), dropped: 2, skipped: 1 }), true)
  assert.equal(isExplained({ ...differing({}, {}), dropped: 5 }), false)
  assert.equal(isExplained(differing({ reason: 'not_copied_yet' })), true)
  assert.equal(isExplained({ ...differing({ reason: 'receipts_more' }), dropped: 100 }), false)
  assert.equal(isExplained({ ...differing({ receipt_requests: 10 }), dropped: 100 }), false, 'only the cost differs')
})

test('parts of a comparison add up exactly', async () => {
  const sum = addReceipts(
    { ...compared, ledger_usd: '-0.000000001', adjustments_usd: '-2.50' },
    { ...compared, from: '2026-11-02T00:00:00.000Z', ledger_usd: '0.30', receipts_usd: '1.999999999' }
  )
  assert.deepEqual(
    [sum.from, sum.requests, sum.ledger_usd, sum.receipts_usd, sum.adjustments_usd],
    [compared.from, 200, '0.299999999', '14.499999999', '0.00']
  )
})

test('people read what agrees, what differs and what explains it', async () => {
  assert.match(describeReceipts({ ...compared, started_at: null }), /log is empty/)
  assert.match(describeReceipts(compared), /agree from 2026-11-01.*100 requests, \$12\.50\.$/)
  const text = describeReceipts({
    ...differing({}),
    dropped: 3,
    late_rows: 2,
    folded_days: 1,
    adjustments_usd: '-1.00'
  })
  for (const part of [
    /differ from/,
    /dropped 3 receipts/,
    /2 rows .* late/,
    /1 days are folded/,
    /Adjustments of \$-1\.00/
  ]) {
    assert.match(text, part)
  }
  assert.match(text, /receipts_missing: Requests without a receipt/)
  assert.match(text, /explain all missing ones/)
})
