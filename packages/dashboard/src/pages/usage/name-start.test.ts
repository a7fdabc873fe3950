import assert from 'node:assert/strict'
import { test } from 'tap'
import { chooseZone } from '../../format/time.ts'
import { nameRange } from './name-start.ts'

test('a range is named by its first and last day or month, and its end is not part of it', async () => {
  chooseZone('utc')
  for (const [from, to, interval, name] of [
    ['2026-10-01T00:00:00Z', '2026-10-28T17:00:00Z', 'day', 'Oct 1 – Oct 28'],
    ['2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z', 'day', 'Oct 1 – Oct 31'],
    ['2026-10-01T00:00:00Z', '2026-10-02T00:00:00Z', 'day', 'Oct 1'],
    ['2026-10-01T09:00:00Z', '2026-10-02T09:00:00Z', 'hour', 'Oct 1 – Oct 2'],
    ['2025-01-15T00:00:00Z', '2025-09-10T00:00:00Z', 'month', 'Jan 2025 – Sep 2025']
  ] as const) {
    assert.equal(nameRange({ from, to, interval }), name)
  }
  chooseZone('own')
})
