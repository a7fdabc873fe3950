import assert from 'node:assert/strict'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { test } from 'tap'
import { createFairReads } from './caller-limits.ts'

/** Whether a promise has settled by the next turn. */
const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false
  const note = () => {
    settled = true
  }
  promise.then(note, note)
  await new Promise(setImmediate)
  return settled
}

test('an account’s further reads wait in order, and those of others do not wait for them', async () => {
  const reads = createFairReads({ maxAtOnce: 2, maxWaiting: 2 })
  const first = await reads.enter('a')
  const second = await reads.enter('a')
  const third = reads.enter('a')
  const fourth = reads.enter('a')
  assert.equal(await isSettled(third), false)
  await assert.rejects(
    reads.enter('a'),
    (error) => error instanceof ServiceError && error.code === 'too_many_requests' && error.retryAfter! > 0
  )
  const other = await reads.enter('b')
  first()
  // Ending a read twice frees one place.
  first()
  assert.equal(await isSettled(third), true)
  assert.equal(await isSettled(fourth), false)
  second()
  for (const leave of [await third, await fourth, other]) leave()
  const again = [await reads.enter('a'), await reads.enter('a')]
  assert.equal(await isSettled(reads.enter('b')), true)
  for (const leave of again) leave()
})
