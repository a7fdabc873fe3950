import assert from 'node:assert/strict'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import { activeKey } from '@tollgate/state/testing/one-account.ts'
import { test } from 'tap'
import { cutOf } from './cut-requests.ts'

const { digest } = activeKey
const other = 'e'.repeat(64)
const account: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }
const suspended: AccountRecord = { ...account, status: 'suspended' }
const cutStreams = true as const
const revoked: KeyRecord = { ...activeKey, status: 'revoked' }
const rotated: KeyRecord = { ...activeKey, digest: other }

const table: ReadonlyArray<[name: string, key: KeyRecord | null, account: AccountRecord | null, code: string | null]> =
  [
    ['requests of a working key go on', activeKey, account, null],
    ['those of a revoked key, too', revoked, account, null],
    ['unless its revocation ends them', { ...revoked, cutStreams }, account, 'revoked_api_key'],
    ['requests with a replaced secret go on', rotated, account, null],
    ['unless its rotation ends them', { ...rotated, cutStreams }, account, 'revoked_api_key'],
    ['requests with the new secret go on', { ...activeKey, cutStreams }, account, null],
    [
      'requests with an old secret in its grace go on',
      { ...rotated, previous: { digest, until: 1 }, cutStreams },
      account,
      null
    ],
    ['requests of a paused key go on', { ...activeKey, status: 'paused', cutStreams }, account, null],
    ['an expired key ends no requests', { ...activeKey, expiresAt: 1, cutStreams }, account, null],
    ['a suspended account ends all requests', activeKey, suspended, 'account_suspended'],
    ['also those of a revoked key', revoked, suspended, 'account_suspended'],
    [
      'a seat in a team suspends the own account',
      activeKey,
      { ...suspended, isOwnerInTeam: true },
      'account_suspended'
    ],
    ['a missing key ends no requests', null, account, null],
    ['a missing account ends no requests', activeKey, null, null]
  ]

test('which open requests end', async (t) => {
  for (const [name, key, of, code] of table) {
    await t.test(name, async () => {
      const keyRecord = key && { version: '1', record: key }
      const accountRecord = of && { version: '1', record: of }
      assert.equal(cutOf({ keyRecord, accountRecord, digest })?.code ?? null, code)
    })
  }
})
