import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { KeyRecord } from '@tollgate/contracts/records/records.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { type ProjectionWrite, putAll } from '@tollgate/state/projection/write-records.ts'
import { testOnEveryRedis } from '@tollgate/state/testing/redis-servers.ts'
import { test } from 'tap'
import { isKeyInForce, PendingRevocations } from './projector.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const key = 'key_1'
const digest = hash('sha256', 'secret', 'hex')

function stateOf(version: number, status: KeyRecord['status'] = 'active'): [ProjectionWrite, ProjectionWrite] {
  const record = {
    status,
    digest,
    previous: null,
    expiresAt: null,
    models: null,
    monthlyBudgetNanos: null,
    requestsPerMinute: null
  }
  return [
    { kind: 'key', account, key, version, record },
    { kind: 'pointer', digest, pointer: { key, account, scope: 'inference' }, diedAt: null }
  ]
}

testOnEveryRedis('a key is in force', async (t, link) => {
  const isInForce = (...[version, status]: Parameters<typeof stateOf>) => isKeyInForce(link, stateOf(version, status))

  t.test('if Redis has the record of that version, and the pointer', async () => {
    const [record, pointer] = stateOf(7)
    assert.equal(await isInForce(7), false)
    await putAll(link, [record])
    assert.equal(await isInForce(7), false)
    await putAll(link, [pointer])
    assert.equal(await isInForce(7), true)
  })

  t.test('not on another version: an earlier one, a later one, or one of another epoch', async () => {
    await putAll(link, stateOf(7))
    for (const version of [6, 8, versionOf(1, 7)]) assert.equal(await isInForce(version), false, `${version}`)
  })

  t.test('if it is revoked, and Redis has the tombstone or nothing', async () => {
    assert.equal(await isInForce(8, 'revoked'), true)
    await putAll(link, stateOf(7))
    assert.equal(await isInForce(8, 'revoked'), false)
    await putAll(link, stateOf(8, 'revoked'))
    assert.equal(await isInForce(8, 'revoked'), true)
  })

  t.test('not if it is unknown', async () => {
    assert.equal(await isKeyInForce(link, []), false)
  })
})

test('a revocation is measured once, from its first commit until it is acknowledged', async () => {
  let now = 0
  const measured: number[] = []
  const revocations = new PendingRevocations(
    (ms) => measured.push(ms),
    () => now
  )
  revocations.committed('key_1')
  now = 5
  revocations.committed('key_1')
  revocations.committed('key_2')
  now = 7
  revocations.acknowledged('key_1')
  revocations.acknowledged('key_1')
  assert.deepEqual(measured, [7])
  now = 20
  revocations.committed('key_3')
  // A pass that began at 10 has seen key 2, but not key 3.
  revocations.acknowledgedUntil(10)
  assert.deepEqual(measured, [7, 15])
  now = 21
  revocations.acknowledgedUntil(21)
  assert.deepEqual(measured, [7, 15, 1])
})
