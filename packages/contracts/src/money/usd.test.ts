import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { formatSignedUsd, formatUsd } from './usd.ts'

test('nanodollars are written as dollars', async () => {
  const cases: Array<[bigint, string]> = [
    [0n, '0.00'],
    [1n, '0.000000001'],
    [10_000_000n, '0.01'],
    [12_500_000_000n, '12.50'],
    [999_999_999n, '0.999999999'],
    [1_230_000_000n, '1.23'],
    [1_234_000_000n, '1.234'],
    [BigInt(Number.MAX_SAFE_INTEGER), '9007199.254740991'],
    [10n ** 30n, `1${'0'.repeat(21)}.00`]
  ]
  for (const [nanos, usd] of cases) {
    assert.equal(formatUsd(nanos), usd)
    assert.equal(formatSignedUsd(nanos), usd)
    if (nanos > 0n) assert.equal(formatSignedUsd(-nanos), `-${usd}`)
  }
})

test('no amount is rounded, and every amount has exactly one text', async () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (nanos) => {
      const usd = formatUsd(nanos)
      assert.match(usd, /^(0|[1-9]\d*)\.\d\d(\d{0,6}[1-9])?$/)
      const [dollars = '', decimals = ''] = usd.split('.')
      assert.equal(BigInt(dollars) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0')), nanos)
    })
  )
})
