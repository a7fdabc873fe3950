import assert from 'node:assert/strict'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import type { Shard } from '@tollgate/state/keyspace/names.ts'
import type { FoundMarker } from '@tollgate/state/projection/shard-markers.ts'
import { test } from 'tap'
import { ProjectionLag } from './projection-lag.ts'

const shard: Shard = 'a00'
const run = 'run'

const truthAt = (change: number, catalog = 0) => ({
  epoch: 1,
  catalog,
  nowMs: 0,
  purged: new Map(),
  changes: new Map<Shard, number>(change === 0 ? [] : [[shard, change]])
})
const redisAt = (change: number | null, { currentRunId = run, catalog = null as number | null } = {}) => {
  const marker: FoundMarker = {
    version: change === null ? null : versionOf(1, change),
    run,
    highest: null,
    month: 0,
    currentRunId
  }
  return {
    markers: new Map([[shard, marker]]),
    catalog: catalog === null ? null : { version: versionOf(1, catalog), run }
  }
}

test('without changes, nothing is missing', async () => {
  assert.deepEqual(new ProjectionLag().compare(redisAt(null), truthAt(0), 5), { ms: 0, waiting: 0 })
})

test('the lag is that of the oldest missing change, and not of an earlier one that Redis has by now', async () => {
  const lag = new ProjectionLag()
  assert.deepEqual(lag.compare(redisAt(3), truthAt(3), 0), { ms: 0, waiting: 0 })
  assert.deepEqual(lag.compare(redisAt(3), truthAt(4), 1000), { ms: 0, waiting: 1 })
  assert.deepEqual(lag.compare(redisAt(3), truthAt(5), 2000), { ms: 1000, waiting: 1 })
  assert.deepEqual(lag.compare(redisAt(4), truthAt(6), 3000), { ms: 1000, waiting: 1 })
  assert.deepEqual(lag.compare(redisAt(5), truthAt(7), 4000), { ms: 1000, waiting: 1 })
  assert.deepEqual(lag.compare(redisAt(7), truthAt(7), 5000), { ms: 0, waiting: 0 })
})

test('while Redis cannot be read, only later changes are missing', async () => {
  const lag = new ProjectionLag()
  lag.compare(redisAt(3, { catalog: 1 }), truthAt(3, 1), 0)
  assert.deepEqual(lag.compare(null, truthAt(3, 1), 1000), { ms: 0, waiting: 0 })
  assert.deepEqual(lag.compare(null, truthAt(4, 1), 2000), { ms: 0, waiting: 1 })
  assert.deepEqual(lag.compare(null, truthAt(4, 2), 9000), { ms: 7000, waiting: 2 })
})

test('a Redis process without the data lacks every change', async () => {
  const lag = new ProjectionLag()
  lag.compare(redisAt(3), truthAt(3), 0)
  assert.deepEqual(lag.compare(redisAt(3, { currentRunId: 'other' }), truthAt(3), 1000), { ms: 0, waiting: 1 })
  assert.deepEqual(lag.compare(redisAt(null), truthAt(3), 3000), { ms: 2000, waiting: 1 })
})

test('a catalog that Redis lacks counts, too', async () => {
  const lag = new ProjectionLag()
  lag.compare(redisAt(3, { catalog: 1 }), truthAt(3, 2), 0)
  assert.deepEqual(lag.compare(redisAt(3, { catalog: 1 }), truthAt(3, 2), 500), { ms: 500, waiting: 1 })
})

test('a long outage with many changes keeps the time of the first one, in bounded memory', async () => {
  const lag = new ProjectionLag()
  lag.compare(redisAt(0), truthAt(0), 0)
  for (let change = 1; change <= 1000; change++) lag.compare(redisAt(0), truthAt(change), change)
  assert.deepEqual(lag.compare(redisAt(0), truthAt(1000), 1001), { ms: 1000, waiting: 1 })
  assert.deepEqual(lag.compare(redisAt(1000), truthAt(1000), 1002), { ms: 0, waiting: 0 })
})
