import assert from 'node:assert/strict'
import { accountShard } from '@tollgate/contracts/keyspace/names.ts'
import type { ProjectionWrite } from '@tollgate/contracts/redis/project.ts'
import { readState } from '@tollgate/contracts/testing/account-state.ts'
import { stampNow } from '@tollgate/contracts/testing/marker.ts'
import { testOnEveryRedis } from '@tollgate/contracts/testing/redis-servers.ts'
import { writeDirectly } from './write-directly.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const record = { plan: 'free', status: 'active', ownCapNanos: null } as const
const lost = new Error('terminating connection due to unexpected postmaster exit')

/** Fails so many times, and then has an account. */
function failing(times: number) {
  let left = times
  return async (): Promise<ProjectionWrite[]> => {
    if (left-- > 0) throw lost
    return [{ kind: 'account', account, version: 3, record }]
  }
}

testOnEveryRedis('a change that was committed', async (t, link) => {
  const write = (read: () => Promise<ProjectionWrite[]>) => writeDirectly(link, { kind: 'account', account }, read)

  t.test('reaches Redis although the connection to Postgres was lost meanwhile', async () => {
    await stampNow(link, accountShard(account), 1, link.run())
    assert.equal(await write(failing(1)), true)
    assert.equal((await readState(link.client, account)).account?.version, 3)
  })

  t.test('is left to the loop if Postgres is away', async () => {
    await assert.rejects(write(failing(2)), lost)
  })
})
