import assert from 'node:assert/strict'
import { test } from 'tap'

// The modules read the zone and the languages when they are loaded.
process.env.TZ = 'Pacific/Auckland'
Object.defineProperty(globalThis.navigator, 'languages', { value: ['de-DE'] })
Object.assign(globalThis, { document: {} })
const { nameInterval, nameStart } = await import('../pages/usage/name-start.ts')
const { formatMs } = await import('../pages/requests/describe-request.ts')
const { formatBytes } = await import('./number.ts')
const { formatCount } = await import('./number.ts')
const { formatChange, formatShare } = await import('./number.ts')
const { formatDay, formatExactMoment, formatMoment } = await import('./time.ts')
const { chooseZone, chosenZone, onZone } = await import('./time.ts')

const at = new Date('2026-05-05T13:30:00Z')

/** Releases of ICU write other spaces. */
const plain = (text: string): string => text.replaceAll('\u202f', ' ')

test('events are shown in the reader’s zone, or in UTC if they choose it', async (t) => {
  t.after(() => chooseZone('own'))
  let heard = 0
  const end = onZone(() => heard++)
  assert.equal(chosenZone(), 'own', 'also without storage')
  assert.deepEqual([plain(formatMoment(at)), formatDay(at)], ['May 6, 2026, 1:30 AM', 'May 6, 2026'])
  chooseZone('utc')
  assert.deepEqual([plain(formatMoment(at)), formatDay(at)], ['May 5, 2026, 1:30 PM UTC', 'May 5, 2026'])
  assert.equal(plain(formatExactMoment(at)), 'May 5, 2026, 1:30:00 PM UTC')
  end()
  chooseZone('own')
  assert.equal(heard, 1)
})

test('bars of hours are named in the chosen zone, days and months always in UTC', async (t) => {
  t.after(() => chooseZone('own'))
  const names = () => [
    nameStart('2026-05-05T13:00:00Z', 'hour'),
    nameInterval('hour'),
    nameStart('2026-05-05T13:00:00Z', 'day'),
    nameInterval('day'),
    nameInterval('month')
  ]
  assert.deepEqual(names(), ['May 6, 01:00', 'Hour (your time zone)', 'May 5', 'Day (UTC)', 'Month (UTC)'])
  chooseZone('utc')
  assert.deepEqual(names(), ['May 5, 13:00', 'Hour (UTC)', 'May 5', 'Day (UTC)', 'Month (UTC)'])
})

test('counts, shares, changes, durations and sizes all have the notation of the reader', async () => {
  assert.deepEqual(
    [formatCount(13337), formatShare(0.0068), formatChange(-0.28), formatMs(1900), formatMs(12_000), formatBytes(1536)],
    ['13.337', '0,7\u00a0%', '-28\u00a0%', '1,9 s', '12 s', '1,5 KiB']
  )
})
