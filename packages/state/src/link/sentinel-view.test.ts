import assert from 'node:assert/strict'
import { test } from 'tap'
import { chooseMaster, readSentinelView } from './master-queries.ts'

test('the master of the last failover counts, even if other Sentinels name another', async () => {
  const stale = { master: { host: 'old', port: 1 }, epoch: 3 }
  const latest = { master: { host: 'new', port: 2 }, epoch: 4 }
  assert.deepEqual(chooseMaster([stale, latest, stale]), latest.master)
  assert.deepEqual(chooseMaster([stale]), stale.master)
  assert.equal(chooseMaster([]), null)
})

test('a Sentinel that does not know the master, or sends another answer, is ignored', async () => {
  const fields = ['name', 'main', 'config-epoch', '7', 'flags', 'master']
  assert.deepEqual(readSentinelView(['10.0.0.1', '6379'], fields), {
    master: { host: '10.0.0.1', port: 6379 },
    epoch: 7
  })
  for (const address of [null, 'OK', []]) assert.equal(readSentinelView(address, fields), null)
  for (const answer of [null, 'OK', ['name', 'main']])
    assert.equal(readSentinelView(['10.0.0.1', '6379'], answer), null)
})
