import assert from 'node:assert/strict'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { type ProjectionWrite, putAll } from '@tollgate/state/projection/write-records.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import { verifyNow } from '@tollgate/state/testing/redis-content.ts'
import { testOnEveryRedis } from '@tollgate/state/testing/redis-servers.ts'
import { writeDirectly } from './write-directly.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const record = { plan: 'free', status: 'active', ownCapNanos: null } as const
const lost = new Error('terminating connection due to unexpected postmaster exit')

const accountOf = (version: number): ProjectionWrite => ({ kind: 'account', account, version, record })

/** Fails the given number of times, and then returns an account. */
function failing(times: number) {
  let left = times
  return async (): Promise<ProjectionWrite[]> => {
    if (left-- > 0) throw lost
    return [accountOf(3)]
  }
}

testOnEveryRedis('a change that was committed', async (t, link) => {
  const write = (read: () => Promise<ProjectionWrite[]>) => writeDirectly(link, { kind: 'account', account }, read)

  t.test('reaches Redis although the connection to PostgreSQL was lost', async () => {
    await verifyNow(link, accountShard(account), 1, link.run())
    assert.equal(await write(failing(1)), true)
    assert.equal((await readState(link.client, account)).account?.version, 3)
  })

  t.test('is left to the loop while PostgreSQL is unavailable', async () => {
    await assert.rejects(write(failing(2)), lost)
  })

  t.test('is acknowledged once Redis has it, or a later state that PostgreSQL has too', async () => {
    const states = [3, 5]
    let reads = 0
    const moving = async () => [accountOf(states[Math.min(reads++, 1)]!)]
    await putAll(link, [accountOf(5)])
    assert.equal(await write(moving), true, 'a later change that PostgreSQL has too')
    assert.equal(reads, 2)
    await putAll(link, [accountOf(9)])
    assert.equal(await write(async () => [accountOf(5)]), false, 'a later state that PostgreSQL has lost')
    assert.equal(await write(async () => []), false, 'nothing to write')
  })
})
