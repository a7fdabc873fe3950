import assert from 'node:assert/strict'
import { test } from 'tap'
import { nameInterval, nameStart } from '../pages/usage/name-start.ts'
import { formatDay, formatExactMoment, formatMoment } from './time.ts'
import { chooseZone, chosenZone, onZone } from './zone.ts'

process.env.TZ = 'Pacific/Auckland'
const at = new Date('2026-05-05T13:30:00Z')

test('events are shown in the reader’s zone, or in UTC if they choose it', async (t) => {
  t.after(() => chooseZone('own'))
  let heard = 0
  const end = onZone(() => heard++)
  assert.equal(chosenZone(), 'own', 'also without storage')
  assert.deepEqual([formatMoment(at), formatDay(at)], ['May 6, 2026, 1:30\u202fAM', 'May 6, 2026'])
  chooseZone('utc')
  assert.deepEqual([formatMoment(at), formatDay(at)], ['May 5, 2026, 1:30\u202fPM UTC', 'May 5, 2026'])
  assert.equal(formatExactMoment(at), 'May 5, 2026, 1:30:00\u202fPM UTC')
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
