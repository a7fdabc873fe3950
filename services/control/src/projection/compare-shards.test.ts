import assert from 'node:assert/strict'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { allShards, type Shard } from '@tollgate/state/keyspace/names.ts'
import type { FoundMarker } from '@tollgate/state/projection/shard-markers.ts'
import { test } from 'tap'
import { compareShards } from './compare-shards.ts'

const run = 'this run'
const truth = {
  epoch: 1,
  changes: new Map<Shard, number>([['a01', 10]]),
  purged: new Map<Shard, number>([['a01', 6]]),
  catalog: 1,
  nowMs: 0
}

/** Current markers of all shards, except the given ones. */
function markers(others: Partial<Record<Shard, Partial<FoundMarker>>>, currentRunId = run): Map<Shard, FoundMarker> {
  return new Map(
    allShards.map((shard) => {
      const version = versionOf(1, truth.changes.get(shard) ?? 0)
      return [shard, { version, run, month: 0, highest: null, currentRunId, ...others[shard] }]
    })
  )
}

const stale = (others: Partial<Record<Shard, Partial<FoundMarker>>>) => {
  const comparison = compareShards(markers(others), truth)
  assert.ok(!comparison.ahead)
  return comparison.stale.map(({ shard }) => shard)
}

test('with current markers there is nothing to do', async () => {
  assert.deepEqual(stale({}), [])
  assert.deepEqual(stale({ a01: { highest: versionOf(1, 10) } }), [])
})

for (const [name, marker] of [
  ['has no version', { version: null, run: null }],
  ['was verified for another process', { run: 'other run' }],
  ['was verified for no process', { run: null }],
  ['is behind', { version: versionOf(1, 9) }],
  ['is of an earlier epoch', { version: versionOf(0, 10) }],
  ['is of an earlier epoch, with a change beyond', { version: versionOf(0, 11), highest: versionOf(0, 999) }]
] as const) {
  test(`a shard is replayed if its marker ${name}`, async () => {
    assert.deepEqual(stale({ a01: marker }), ['a01'])
  })
}

test('a shard without changes is verified at change zero', async () => {
  assert.deepEqual(stale({ k07: { version: null } }), ['k07'])
})

for (const [name, marker, epoch] of [
  ['a marker', { version: versionOf(1, 11) }, 1],
  ['a record', { highest: versionOf(1, 11) }, 1],
  ['a record of a shard that was never verified', { version: null, run: null, highest: versionOf(1, 11) }, 1],
  ['a marker of a later epoch', { version: versionOf(7, 0) }, 7]
] as const) {
  test(`${name} beyond PostgreSQL’s proves that PostgreSQL was restored`, async () => {
    assert.deepEqual(compareShards(markers({ a01: marker }), truth), { ahead: true, epoch, shards: ['a01'] })
    assert.deepEqual(compareShards(markers({ a01: marker }, 'other run'), truth), {
      ahead: true,
      epoch,
      shards: ['a01']
    })
  })
}

test('if several shards are ahead, the latest epoch counts', async () => {
  const comparison = compareShards(
    markers({ a01: { version: versionOf(3, 1) }, k02: { highest: versionOf(5, 2) } }),
    truth
  )
  assert.deepEqual(comparison, { ahead: true, epoch: 5, shards: ['a01', 'k02'] })
})

for (const [name, marker] of [
  ['a marker', { version: versionOf(1, 5) }],
  ['a record of a shard that was never verified', { version: null, run: null, highest: versionOf(1, 5) }],
  ['a record of a shard of an earlier epoch', { version: versionOf(0, 5), highest: versionOf(1, 5) }]
] as const) {
  test(`${name} older than a revoked key that PostgreSQL has deleted starts a new epoch`, async () => {
    assert.deepEqual(compareShards(markers({ a01: marker }), truth), { ahead: true, epoch: 1, shards: [] })
  })
}

test('an empty or newer shard needs no new epoch', async () => {
  assert.deepEqual(stale({ a01: { version: null, run: null } }), ['a01'])
  assert.deepEqual(stale({ a01: { version: versionOf(1, 6) } }), ['a01'])
  assert.deepEqual(stale({ a01: { version: versionOf(0, 5) } }), ['a01'])
})
