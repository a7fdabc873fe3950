import assert from 'node:assert/strict'
import {
  addRow,
  firstTokenBounds,
  noneServed,
  perTokenBounds,
  type ServedRow
} from '@tollgate/state/served/served-row.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { type Measured, measuredStatus, shownHours } from './measured-status.ts'
import { foldDays } from './served-days.ts'

const offered = [
  { id: 'small', provider: 'maker' },
  { id: 'large', provider: 'maker' },
  { id: 'other', provider: 'other maker' }
]

const rowOf = (successes: number, failures = 0): ServedRow => ({ ...noneServed(), successes, failures })

/** A row with streams of this time to the first token and this time per token, in seconds. */
function streams(count: number, firstToken: number, perToken: number): ServedRow {
  const row = rowOf(count)
  const at = (bounds: readonly number[], value: number) => bounds.filter((bound) => bound < value).length
  row.firstToken[at(firstTokenBounds, firstToken)]! += count
  row.perToken[at(perTokenBounds, perToken)]! += count
  return row
}

/** The rows of `small` by hour; the hours before these are empty. */
const hoursOf = (...rows: ServedRow[]) => [
  ...Array.from({ length: shownHours - rows.length }, () => new Map<string, ServedRow>()),
  ...rows.map((row) => new Map([['small', row]]))
]

const today = 20_000
const noDays = foldDays({ recentFrom: 0, days: new Map(), hours: new Map() }, new Map(), today)

const statusOf = (hours: Measured['hours'], more: Partial<Measured> = {}) =>
  measuredStatus({ hours, days: noDays, today, offered, isCounted: (id) => id !== 'secret', hasGateway: true, ...more })
const smallOf = (...rows: ServedRow[]) => statusOf(hoursOf(...rows)).models[0]!

test('the hours of a model are judged one by one; a few requests say nothing', async () => {
  const { hours } = smallOf(rowOf(99, 1), rowOf(4, 1), rowOf(90, 10), rowOf(0, 100), rowOf(4), rowOf(0, 4))
  assert.deepEqual(hours.slice(-7), ['unknown', 'good', 'good', 'degraded', 'down', 'unknown', 'unknown'])
  assert.equal(hours.length, 24)
})

test('below 20 requests in the day nothing is shown, from 20 on uptime, and speeds from 20 streams on', async () => {
  const nothing = { state: 'unknown', uptime: null, first_token_ms: null, tokens_per_second: null }
  const { id, provider, hours, ...hidden } = smallOf(rowOf(10, 1), streams(8, 0.3, 0.02))
  assert.deepEqual([id, provider, hours.every((state) => state === 'unknown')], ['small', 'maker', true])
  assert.deepEqual(hidden, nothing)
  const shown = smallOf(rowOf(10, 2), streams(8, 0.3, 0.02))
  assert.deepEqual([shown.uptime, shown.first_token_ms, shown.tokens_per_second], [0.9, null, null])
  const fast = smallOf(streams(20, 0.3, 0.02))
  assert.deepEqual(fast.first_token_ms, { p50: 375, p95: 488 })
  assert.deepEqual(fast.tokens_per_second, { p50: 57.1 })
})

test('speeds beyond the histogram are those of its ends', async () => {
  assert.deepEqual(smallOf(streams(20, 60, 30)).first_token_ms, { p50: 10_000, p95: 10_000 })
  assert.deepEqual(smallOf(streams(20, 60, 30)).tokens_per_second, { p50: 0.4 })
  assert.deepEqual(smallOf(streams(20, 1, 0.0001)).tokens_per_second, { p50: 2000 })
})

test('the state is that of the running hour, or of the hour before while there are few requests', async () => {
  assert.equal(smallOf(rowOf(100), rowOf(0, 100)).state, 'down')
  assert.equal(smallOf(rowOf(0, 100), rowOf(0, 4)).state, 'down')
  assert.equal(smallOf(rowOf(100), rowOf(0), rowOf(1)).state, 'unknown')
})

test('a provider is measured by all its offered models, and the service is down only if all that is known is down', async () => {
  const of = (small: ServedRow, other: ServedRow) =>
    statusOf([...hoursOf().slice(1), new Map(Object.entries({ small, large: small, other, secret: rowOf(0, 999) }))])
  const { state, providers } = of(rowOf(0, 15), rowOf(100))
  assert.deepEqual(
    providers.map(({ name, state: present, uptime }) => [name, present, uptime]),
    [
      ['maker', 'down', 0],
      ['other maker', 'good', 1]
    ]
  )
  assert.equal(state, 'good', 'models with 15 requests are not shown')
  assert.equal(of(rowOf(0, 50), rowOf(1_000_000)).state, 'degraded')
  assert.equal(of(rowOf(0, 50), rowOf(0, 100)).state, 'down')
  assert.equal(of(rowOf(1), rowOf(1)).state, 'unknown')
})

test('two failures of a rarely used model do not lower the service, but many do', async () => {
  const of = (small: ServedRow) =>
    statusOf([...hoursOf().slice(1), new Map(Object.entries({ small, other: rowOf(1000) }))])
  assert.deepEqual([of(rowOf(20, 2)).state, of(rowOf(20, 2)).models[0]!.state], ['good', 'degraded'])
  assert.equal(of(rowOf(100, 20)).state, 'degraded')
})

test('days are those of all counted models for the service, and of its own models for a provider', async () => {
  const rows = { small: rowOf(40), other: rowOf(0, 40), removed: rowOf(20), secret: rowOf(0, 999) }
  const hour = new Map([[(today - 2) * 24, new Map(Object.entries(rows))]])
  const days = foldDays({ recentFrom: 0, days: new Map(), hours: new Map() }, hour, today)
  const { history, providers } = statusOf(hoursOf(), { days })
  assert.deepEqual([history.first_day, history.measured_since], ['2024-07-07', '2024-10-02'])
  assert.deepEqual(history.days.slice(-4), ['unknown', 'degraded', 'unknown', 'unknown'])
  assert.equal(history.uptime_90_days, 0.6)
  assert.deepEqual(
    providers.map((one) => [one.days.at(-3), one.uptime_30_days]),
    [
      ['good', 1],
      ['down', 0]
    ]
  )
})

test('without a gateway the service is down, unless nothing was ever measured', async () => {
  const days = noDays.with(3, new Map([['small', rowOf(1)]]))
  const of = (hasGateway: boolean | null, more = {}) => {
    const { state, gateway } = statusOf(hoursOf(rowOf(100)), { hasGateway, ...more })
    return [state, gateway]
  }
  assert.deepEqual(of(false, { days }), ['down', 'down'])
  assert.deepEqual(of(null, { days }), ['good', 'unknown'])
  assert.deepEqual(of(true, { days }), ['good', 'good'])
  assert.deepEqual(of(false), ['good', 'unknown'])
})

const aRow = fc
  .record({ successes: fc.nat(200), failures: fc.nat(200), streams: fc.nat(50), bucket: fc.nat(perTokenBounds.length) })
  .filter(({ successes, failures }) => (successes + failures >= 5 || successes + failures === 0) && failures !== 1)
  .map(({ successes, failures, streams: count, bucket }) => {
    const row = rowOf(successes, failures)
    row.firstToken[bucket % row.firstToken.length] = count
    row.perToken[bucket] = count
    return row
  })
const manyRows = fc.array(aRow, { minLength: 1, maxLength: shownHours })

test('the status does not tell how many requests there were, besides that only one failed', async () => {
  fc.assert(
    fc.property(manyRows, fc.integer({ min: 2, max: 50 }), (rows, times) => {
      // Enough requests and streams that the limits of 20 hide nothing.
      const base = [...rows.slice(1), streams(20, 0.3, 0.02)]
      const more = base.map((row) => {
        const sum = noneServed()
        for (let n = 0; n < times; n++) addRow(sum, row)
        return sum
      })
      assert.deepEqual(statusOf(hoursOf(...more)), statusOf(hoursOf(...base)))
    })
  )
})

test('further failures never raise uptime or the state of an hour', async () => {
  const rank = ['down', 'degraded', 'good']
  fc.assert(
    fc.property(manyRows, fc.nat(shownHours), fc.nat(100), (rows, at, failures) => {
      const before = smallOf(...rows)
      const worse = rows.map((row, hour) => (hour === at ? { ...row, failures: row.failures + failures } : row))
      const after = smallOf(...worse)
      if (before.uptime !== null) assert.ok(after.uptime! <= before.uptime)
      for (const [hour, state] of before.hours.entries()) {
        if (state !== 'unknown') assert.ok(rank.indexOf(after.hours[hour]!) <= rank.indexOf(state))
      }
    })
  )
})
