import assert from 'node:assert/strict'
import { test } from 'tap'
import { parseBanDuration } from './ban.ts'

test('a ban duration is written as in Go', async () => {
  for (const [text, expected] of [
    ['none', 0],
    ['0', 0],
    ['24h', 86_400_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['300ms', 300],
    ['2us', 0.002],
    ['2µs', 0.002],
    ['-1h', -3_600_000],
    ['+1h', 3_600_000],
    ['876000h', 3_153_600_000_000]
  ] as const) {
    assert.equal(parseBanDuration(text), expected, text)
  }
  for (const text of ['', '24', 'h', '1d', '1h ', '1 h', 'forever', '1h-30m', '99999999h', '.h']) {
    assert.throws(() => parseBanDuration(text), { status: 400, code: 'validation_failed' }, text)
  }
})
