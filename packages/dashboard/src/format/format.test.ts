import assert from 'node:assert/strict'
import { test } from 'tap'
import { formatAmount, formatExactUsd, formatShortUsd, formatUsd } from './money.ts'
import { countOf, formatCompact } from './number.ts'
import { formatRelative } from './time.ts'

test('dollars have two decimals, and more for amounts below one cent', async () => {
  for (const [usd, text] of [
    ['0.00', '$0.00'],
    ['1.5', '$1.50'],
    ['1234.567', '$1,234.57'],
    ['0.000123', '$0.00012'],
    [0.004, '$0.004'],
    ['-0.00012', '-$0.00012'],
    ['0.000000001', '$0.000000001'],
    [100, '$100.00']
  ] as const) {
    assert.equal(formatUsd(usd), text)
  }
})

test('exact dollars keep every decimal of a nanodollar', async () => {
  assert.deepEqual(['0.00', '0.0000141', '12.5', '0.000000001'].map(formatExactUsd), [
    ...['$0.00', '$0.0000141', '$12.50', '$0.000000001']
  ])
})

test('whole dollars are shown without cents', async () => {
  assert.deepEqual([20, 20.5, 0, 0.0005].map(formatShortUsd), ['$20', '$20.50', '$0', '$0.0005'])
})

test('an invoice amount is read in the minor unit that Stripe uses for its currency', async () => {
  for (const [amount, currency, text] of [
    [4900, 'usd', '$49.00'],
    [4900, 'EUR', '€49.00'],
    [4900, 'jpy', '¥4,900'],
    // These currencies have no decimals, but Stripe counts them in hundredths.
    [4900, 'isk', 'ISK 49'],
    [4900, 'ugx', 'UGX 49'],
    [4950, 'huf', 'HUF 49.50'],
    [4900, 'mga', 'MGA 4,900'],
    [4900, 'kwd', 'KWD 4.900']
  ] as const) {
    assert.equal(formatAmount(amount, currency).replace('\u00a0', ' '), text)
  }
})

test('an amount in an unknown currency is shown with that name', async () => {
  assert.equal(formatAmount(4900, 'usdc'), '49.00 USDC')
  assert.equal(formatAmount(-4900, ''), '-49.00')
  assert.equal(formatAmount(0, '€$'), '0.00 €$')
})

test('times are shown relative to now', async () => {
  const now = new Date('2026-03-10T12:00:00Z')
  for (const [at, text] of [
    ['2026-03-10T11:59:30Z', 'just now'],
    ['2026-03-10T12:00:30Z', 'in a moment'],
    ['2026-03-10T11:57:10Z', '2 minutes ago'],
    ['2026-03-08T13:00:00Z', '1 day ago'],
    ['2026-03-13T12:00:00Z', 'in 3 days'],
    ['2026-05-08T12:00:00Z', 'in 1 month'],
    ['2024-01-01T00:00:00Z', '2 years ago']
  ] as const) {
    assert.equal(formatRelative(new Date(at), now), text)
  }
})

test('small counts are exact, large ones are abbreviated, and nouns agree with their count', async () => {
  assert.equal(formatCompact(9999), '9,999')
  assert.equal(formatCompact(1_250_000), '1.3M')
  assert.equal(countOf(1, 'key'), '1 key')
  assert.equal(countOf(2000, 'key'), '2,000 keys')
})
