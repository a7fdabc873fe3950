import assert from 'node:assert/strict'
import { test } from 'tap'
import { type KeyRecord, readAccountRecord, readKeyRecord, readPointer } from './records.ts'

const digest = 'a'.repeat(64)
const key: KeyRecord = {
  status: 'active',
  digest,
  previous: { digest: 'b'.repeat(64), until: 1 },
  expiresAt: 2,
  models: ['m'],
  monthlyBudgetNanos: null,
  requestsPerMinute: null
}

test('records are read as they were written', async () => {
  assert.deepEqual(readKeyRecord(JSON.stringify(key)), key)
  const plain = {
    ...key,
    previous: null,
    expiresAt: null,
    models: null,
    monthlyBudgetNanos: null,
    requestsPerMinute: null
  }
  assert.deepEqual(readKeyRecord(JSON.stringify(plain)), plain)
  const cut = { ...key, status: 'revoked', cutStreams: true }
  assert.deepEqual(readKeyRecord(JSON.stringify(cut)), cut)
  const labelled = { ...key, label: 'Production' }
  assert.deepEqual(readKeyRecord(JSON.stringify(labelled)), labelled)
  const ofLaterRelease = { ...key, memberOfLaterRelease: true }
  assert.deepEqual(readKeyRecord(JSON.stringify(ofLaterRelease)), ofLaterRelease)
  const listed = { ...key, addresses: ['203.0.113.7', '2001:db8::/32'] }
  assert.deepEqual(readKeyRecord(JSON.stringify(listed)), listed)
  const pausedKey = { ...key, status: 'paused' }
  assert.deepEqual(readKeyRecord(JSON.stringify(pausedKey)), pausedKey)
  const account = { plan: 'pro', status: 'suspended', ownCapNanos: 0 }
  assert.deepEqual(readAccountRecord(JSON.stringify(account)), account)
  const paused = { ...account, isOwnerInTeam: true }
  assert.deepEqual(readAccountRecord(JSON.stringify(paused)), paused)
  const pointer = { key: 'key_1', account: 'a', scope: 'management' }
  assert.deepEqual(readPointer(JSON.stringify(pointer)), pointer)
})

test('a record that this release would not write is refused', async () => {
  for (const wrong of [
    {},
    { ...key, status: 'asleep' },
    { ...key, digest: 'short' },
    { ...key, digest: 'A'.repeat(64) },
    { ...key, previous: { digest } },
    { ...key, expiresAt: '2027-01-01T00:00:00Z' },
    { ...key, models: 'all' },
    { ...key, addresses: null },
    { ...key, cutStreams: false }
  ]) {
    assert.throws(() => readKeyRecord(JSON.stringify(wrong)), JSON.stringify(wrong))
  }
  assert.throws(() => readAccountRecord('{"plan":"pro"}'))
  assert.throws(() => readAccountRecord('{"plan":"pro","status":"closed","ownCapNanos":null}'))
  assert.throws(() => readAccountRecord('{"plan":"pro","status":"active"}'))
  assert.throws(() => readAccountRecord('{"plan":"pro","status":"active","ownCapNanos":0.5}'))
  assert.throws(() => readAccountRecord('{"plan":"pro","status":"suspended","ownCapNanos":null,"isOwnerInTeam":false}'))
  assert.throws(() => readPointer('{"key":"k","account":"a","scope":"all"}'))
  assert.throws(() => readPointer('not JSON'))
})
