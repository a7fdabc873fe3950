import assert from 'node:assert/strict'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import { findOutdated, type JudgedKey } from '../admission/find-outdated.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { putAccountRecord, putKeyRecord } from '../projection/write-records.ts'
import { activeKey } from './active-key.ts'

const free: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }

/** Stores keys of several accounts, as they were judged. */
export async function storeKeys(link: RedisLink): Promise<JudgedKey[]> {
  const stored: JudgedKey[] = []
  for (let n = 0; n < 40; n++) {
    const account = crypto.randomUUID()
    await putAccountRecord(link, account, 10, free)
    await putKeyRecord(link, account, 'key_1', 11, activeKey)
    stored.push({ account, key: 'key_1', judged: { key: '11', account: '10' } })
  }
  return stored
}

/** Asserts that only keys with another version of their key or account are found. */
export async function assertFinds(link: RedisLink): Promise<void> {
  const asked = await storeKeys(link)
  assert.deepEqual(await findOutdated(link, asked), { outdated: [], error: null })
  await putKeyRecord(link, asked[3]!.account, 'key_1', 12, { ...activeKey, status: 'revoked' })
  await putAccountRecord(link, asked[7]!.account, 12, { ...free, status: 'suspended' })
  const { outdated, error } = await findOutdated(link, asked)
  assert.deepEqual([new Set(outdated), error], [new Set([asked[3], asked[7]]), null])
}
