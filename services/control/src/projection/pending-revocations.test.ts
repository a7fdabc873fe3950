import assert from 'node:assert/strict'
import { test } from 'tap'
import { PendingRevocations } from './projector.ts'

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
