import assert from 'node:assert/strict'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import { putAccountRecord, putKeyRecord } from '../projection/write-records.ts'
import { activeKey } from '../testing/active-key.ts'
import { testOnEveryRedis, withRun } from '../testing/redis-servers.ts'
import { findOutdated, type JudgedKey } from './find-outdated.ts'

const free: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }

testOnEveryRedis('search for outdated records', async (t, anyRun) => {
  const link = withRun(anyRun, 'this run')

  t.test('only keys with another version of their key or account are found, in any shard', async () => {
    const asked: JudgedKey[] = []
    for (let n = 0; n < 40; n++) {
      const account = crypto.randomUUID()
      await putAccountRecord(link, account, 10, free)
      await putKeyRecord(link, account, 'key_1', 11, activeKey)
      asked.push({ account, key: 'key_1', judged: { key: '11', account: '10' } })
    }
    assert.deepEqual(await findOutdated(link, asked), [])
    await putKeyRecord(link, asked[3]!.account, 'key_1', 12, { ...activeKey, status: 'revoked' })
    await putAccountRecord(link, asked[7]!.account, 12, { ...free, status: 'suspended' })
    const found = await findOutdated(link, asked)
    assert.deepEqual(new Set(found), new Set([asked[3], asked[7]]))
  })

  t.test('a missing record is found if it was judged, and not otherwise', async () => {
    const [account, key] = [crypto.randomUUID(), 'key_1']
    const absent = { account, key, judged: { key: '', account: '' } }
    const lost = { account, key, judged: { key: '11', account: '10' } }
    assert.deepEqual(await findOutdated(link, [absent, lost]), [lost])
  })

  t.test('no keys need no answer', async () => assert.deepEqual(await findOutdated(link, []), []))
})
