import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { servedName } from '../keyspace/names.ts'
import { RedisAwayError } from '../link/redis-link.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { addServed, hourOf, maxReportRows, readServed, type ServedReport } from './served.ts'
import { addRow, noneServed, packRow, type ServedRow, unpackRow } from './served-row.ts'

const hour = hourOf(Date.UTC(2027, 4, 5, 12, 59))

/** A row with a stream in one bucket of each kind. */
function rowOf(successes: number, failures: number, bucket = 3): ServedRow {
  const row = { ...noneServed(), successes, failures }
  row.firstToken[bucket] = successes
  row.perToken.fill(2 ** 40, -1)
  return row
}

const report = (changed: Partial<ServedReport> = {}): ServedReport => ({
  hour,
  reporter: 'one',
  sequence: 1,
  rows: new Map([['a/model', rowOf(5, 1)]]),
  ...changed
})

const summed = (...rows: ServedRow[]): ServedRow => {
  const sum = noneServed()
  for (const row of rows) addRow(sum, row)
  return sum
}

testOnEveryRedis('what gateways measured', async (t, link, kind) => {
  t.test('reports of all processes add up by hour and model', async () => {
    await addServed(link, report())
    await addServed(link, report({ sequence: 2, rows: new Map([['a/model', rowOf(2, 0, 0)]]) }))
    await addServed(link, report({ reporter: 'two', rows: new Map([['m:other', rowOf(1, 1)]]) }))
    await addServed(link, report({ hour: hour + 1, sequence: 3 }))
    const [before, first, second] = await readServed(link, [hour - 1, hour, hour + 1])
    assert.deepEqual(before, new Map())
    assert.deepEqual(
      first,
      new Map([
        ['a/model', summed(rowOf(5, 1), rowOf(2, 0, 0))],
        ['m:other', rowOf(1, 1)]
      ])
    )
    assert.deepEqual(second, new Map([['a/model', rowOf(5, 1)]]))
  })

  t.test('a repeated report counts once, also after a later one', async () => {
    for (const sequence of [1, 1, 2, 1, 2]) await addServed(link, report({ sequence }))
    assert.deepEqual(await readServed(link, [hour]), [new Map([['a/model', summed(rowOf(5, 1), rowOf(5, 1))]])])
  })

  t.test('an hour is kept for 26 hours after its last report', async () => {
    await addServed(link, report())
    await link.client.expire(servedName(hour), 10)
    await addServed(link, report({ sequence: 2 }))
    const seconds = await link.client.ttl(servedName(hour))
    assert.ok(seconds > 26 * 3600 - 10 && seconds <= 26 * 3600, `${seconds}`)
  })

  t.test('the largest report fits, and one without rows is accepted', async () => {
    const models = Array.from({ length: maxReportRows }, (_, number) => `model-${number}`)
    await addServed(link, report({ rows: new Map(models.map((model) => [model, rowOf(1, 2)])) }))
    await addServed(link, report({ sequence: 2, rows: new Map() }))
    const [rows] = await readServed(link, [hour])
    assert.deepEqual(rows, new Map(models.map((model) => [model, rowOf(1, 2)])))
  })

  t.test('rows of another form are skipped, and replaced by the next report', async () => {
    await link.client.hset(servedName(hour), { 'm:a/model': 'short', 'm:other': 'short' })
    await addServed(link, report())
    assert.deepEqual(await readServed(link, [hour]), [new Map([['a/model', rowOf(5, 1)]])])
  })

  t.test('a Redis at maxmemory refuses a report whole, and takes it later', async (tt) => {
    // The in-memory Redis has no maxmemory.
    if (kind === 'js-redis-server') return
    await link.client.config('SET', 'maxmemory', '1')
    tt.after(() => link.client.config('SET', 'maxmemory', '0'))
    await assert.rejects(addServed(link, report()), /OOM/)
    assert.deepEqual(await readServed(link, [hour]), [new Map()])
    await link.client.config('SET', 'maxmemory', '0')
    await addServed(link, report())
    assert.deepEqual(await readServed(link, [hour]), [new Map([['a/model', rowOf(5, 1)]])])
  })

  t.test('every call fails at once while Redis is away', async () => {
    const away = {
      ...link,
      nodeOf: () => {
        throw new RedisAwayError()
      }
    }
    await assert.rejects(addServed(away, report()), RedisAwayError)
    await assert.rejects(readServed(away, [hour]), RedisAwayError)
  })
})

test('a row is read as it was packed', async () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), ([successes, failures, first, last]) => {
      const row = rowOf(successes!, failures!)
      row.firstToken.set([last!], row.firstToken.length - 1)
      row.perToken.set([first!], 0)
      assert.deepEqual(unpackRow(packRow(row)), row)
    })
  )
  for (const no of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5]) {
    assert.equal(unpackRow(packRow(rowOf(no, 1))), null, `${no} is no count`)
  }
})
