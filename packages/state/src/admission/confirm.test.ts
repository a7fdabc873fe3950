import assert from 'node:assert/strict'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { accountName, accountShard, monthNumber } from '../keyspace/names.ts'
import type { RedisNode } from '../link/redis-link.ts'
import { claimShard, markVerified } from '../projection/shard-markers.ts'
import { putAccountRecord, putKeyRecord } from '../projection/write-records.ts'
import { openSpends } from '../spend/spend.ts'
import { activeKey, admitOne } from '../testing/one-account.ts'
import { verifyNow } from '../testing/redis-content.ts'
import { testOnEveryRedis, withRun } from '../testing/redis-servers.ts'
import { prepareAccount } from '../wire/packed.ts'
import { prepareAdmission } from './admit.ts'
import { type ConfirmAnswer, confirmRecords, type JudgedVersions } from './confirm.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const shard = accountShard(account)
const month = monthNumber(new Date())
const key = activeKey
const free: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }
const current = (version: number, record: object) => ({ version: String(version), json: JSON.stringify(record) })

async function verifyShard(link: RedisNode, version: number, run = 'this run'): Promise<void> {
  assert.ok(await verifyNow(link, shard, version, run))
}

const plenty = {
  keyBudgetNanos: null,
  accountBudgetNanos: 1e9,
  adjusted: null,
  keyRequests: null,
  keyRequestBurst: null,
  requests: 1e6,
  requestBurst: 1e6,
  tokens: 1e6,
  tokenBurst: 1e6,
  concurrentRequests: 100,
  requestNanos: 1e9,
  windows: []
}
const bound = { promptPicos: 0, promptTokens: 1, outputPicos: 0, outputTokens: 1, wantedTokens: 1, minTokens: 1 }

/** Confirms the records. An admission within all limits must have the same outcome. */
async function ask(
  link: RedisNode,
  of: string,
  keyId: string,
  judged: JudgedVersions,
  endsAt: number | null
): Promise<ConfirmAnswer> {
  const answer = await confirmRecords(link, of, keyId, judged, endsAt)
  const admission = prepareAdmission(prepareAccount(of), keyId, judged, endsAt, plenty, 60_000)
  const other = await admitOne(link, admission, { id: `req_${crypto.randomUUID()}`, model: 'a-model', bound })
  assert.deepEqual(other.outcome === 'admitted' ? { outcome: 'admitted' } : other, answer)
  return answer
}

testOnEveryRedis('confirmation of records', async (t, anyRun) => {
  const link = withRun(anyRun, 'this run')
  const judged = { key: '11', account: '10' }
  t.beforeEach(async () => {
    // Spend is created in the open month.
    await verifyShard(link, 9)
    await putAccountRecord(link, account, 10, free)
    await putKeyRecord(link, account, 'key_1', 11, key)
    await verifyShard(link, 11)
  })

  t.test('a request that was judged by the current records is admitted', async () => {
    assert.deepEqual(await ask(link, account, 'key_1', judged, null), { outcome: 'admitted' })
  })

  t.test('a shard that is verified for another process is unverified', async () => {
    const other = withRun(anyRun, 'other run')
    assert.deepEqual(await ask(other, account, 'key_1', judged, null), {
      outcome: 'unverified'
    })
    assert.deepEqual(await ask(other, account, 'key_9', { key: '', account: '' }, null), {
      outcome: 'unverified'
    })
  })

  t.test('the shard of an empty server is unverified until the first replay ends', async () => {
    await anyRun.client.flushall()
    assert.deepEqual(await ask(link, account, 'key_1', judged, null), { outcome: 'unverified' })
    await putAccountRecord(link, account, 10, free)
    await putKeyRecord(link, account, 'key_1', 11, key)
    await openSpends(link, [account], month)
    const claim = await claimShard(link, shard, 'replay')
    assert.deepEqual(await ask(link, account, 'key_1', judged, null), { outcome: 'unverified' })
    await markVerified(link, claim, { version: 11, run: 'this run', month })
    assert.deepEqual(await ask(link, account, 'key_1', judged, null), { outcome: 'admitted' })
  })

  t.test('a changed key is not admitted, and the current records are returned', async () => {
    const revoked: KeyRecord = { ...key, status: 'revoked' }
    await putKeyRecord(link, account, 'key_1', 12, revoked)
    assert.deepEqual(await ask(link, account, 'key_1', judged, null), {
      outcome: 'moved',
      key: current(12, revoked),
      account: current(10, free)
    })
  })

  t.test('a changed account is not admitted, and the current records are returned', async () => {
    const suspended: AccountRecord = { plan: 'free', status: 'suspended', ownCapNanos: null }
    await putAccountRecord(link, account, 12, suspended)
    assert.deepEqual(await ask(link, account, 'key_1', judged, null), {
      outcome: 'moved',
      key: current(11, key),
      account: current(12, suspended)
    })
  })

  t.test('missing and future versions do not match', async () => {
    const moved = { outcome: 'moved', key: current(11, key), account: current(10, free) }
    for (const versions of [
      { key: '', account: '' },
      { key: '11', account: '' },
      { key: '', account: '10' },
      { key: '13', account: '10' },
      { key: '11', account: '13' }
    ]) {
      assert.deepEqual(await ask(link, account, 'key_1', versions, null), moved, JSON.stringify(versions))
    }
  })

  t.test('a missing key or account is returned as null, and not admitted', async () => {
    const absent = await ask(link, account, 'key_9', { key: '', account: '10' }, null)
    assert.deepEqual(absent, { outcome: 'moved', key: null, account: current(10, free) })
    await anyRun.client.hdel(accountName(account), 'a', 'r')
    const orphan = await ask(link, account, 'key_1', { key: '11', account: '' }, null)
    assert.deepEqual(orphan, { outcome: 'moved', key: current(11, key), account: null })
  })

  t.test('the clock of Redis decides whether a secret has ended', async () => {
    const [seconds] = (await anyRun.client.time()) as unknown as [string | number, string | number]
    const now = Number(seconds) * 1000
    assert.deepEqual(await ask(link, account, 'key_1', judged, now + 60_000), {
      outcome: 'admitted'
    })
    assert.deepEqual(await ask(link, account, 'key_1', judged, now - 1), { outcome: 'ended' })
    assert.deepEqual(await ask(link, account, 'key_1', judged, 0), { outcome: 'ended' })
  })

  t.test('a changed record is returned even if the judged secret has ended', async () => {
    await putKeyRecord(link, account, 'key_1', 12, key)
    assert.equal((await ask(link, account, 'key_1', judged, 0)).outcome, 'moved')
  })

  t.test('records of an earlier epoch than their shard are void', async () => {
    await verifyShard(link, versionOf(1, 11))
    const nothing = { outcome: 'moved', key: null, account: null }
    assert.deepEqual(await ask(link, account, 'key_1', judged, null), nothing)

    await putAccountRecord(link, account, versionOf(1, 10), free)
    const accountOnly = { outcome: 'moved', key: null, account: current(versionOf(1, 10), free) }
    assert.deepEqual(await ask(link, account, 'key_1', { ...judged, account: '1000000000010' }, null), accountOnly)

    await putKeyRecord(link, account, 'key_1', versionOf(1, 11), key)
    const now = { key: '1000000000011', account: '1000000000010' }
    assert.deepEqual(await ask(link, account, 'key_1', now, null), { outcome: 'admitted' })
  })

  t.test('records of a later epoch than their shard are in force', async () => {
    await putKeyRecord(link, account, 'key_1', versionOf(1, 11), key)
    const now = { key: '1000000000011', account: '10' }
    assert.deepEqual(await ask(link, account, 'key_1', now, null), { outcome: 'admitted' })
  })
})
