import assert from 'node:assert/strict'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import type { ProjectedKey } from '@tollgate/state/projection/read-keys.ts'
import { activeKey } from '@tollgate/state/testing/one-account.ts'
import { test } from 'tap'
import { judgeEnding } from './keep-endings.ts'

const version = versionOf(1, 10)
const other = 'f'.repeat(64)
const hasAccount = true
const record = (at: number, content: Partial<typeof activeKey>): ProjectedKey => ({
  record: { version: at, content: { ...activeKey, ...content } },
  hasAccount
})
const missing: ProjectedKey = { record: null, hasAccount }
const revoked = { kind: 'revoked' as const }

const deleted: ProjectedKey = { record: null, hasAccount: false }

for (const [name, projected, verified, since, ending] of [
  ['a later tombstone', record(versionOf(1, 11), { status: 'revoked' }), null, null, revoked],
  ['a tombstone of a later epoch', record(versionOf(2, 3), { status: 'revoked' }), null, null, revoked],
  ['a removed tombstone', missing, versionOf(1, 10), null, revoked],
  ['a removed tombstone, if Redis is of a later epoch and lost nothing since', missing, versionOf(2, 1), 1, revoked],
  ['the removed tombstones of key and account', deleted, versionOf(1, 20), 1, revoked],
  [
    'a later secret',
    record(versionOf(1, 11), { digest: other }),
    null,
    null,
    { kind: 'rotated' as const, digest: other, previous: null }
  ]
] as const) {
  test(`${name} ends the secret of a key that PostgreSQL takes for active`, async () => {
    assert.deepEqual(judgeEnding({ version, record: activeKey }, projected, { verified, since }, false), ending)
  })
}

for (const [name, projected, verified, since, mayEvict] of [
  ['the same record', record(version, {}), versionOf(1, 20), 0],
  ['a later record with the same secret', record(versionOf(1, 11), { models: [] }), versionOf(1, 20), 0],
  ['a tombstone of an earlier change', record(versionOf(1, 9), { status: 'revoked' }), versionOf(1, 20), 0],
  ['an earlier secret', record(versionOf(1, 9), { digest: other }), versionOf(1, 20), 0],
  ['a missing record of an unverified shard', missing, null, 0],
  ['a missing record that Redis may not have had yet', missing, versionOf(1, 9), 0],
  ['a missing record, if Redis is of an earlier epoch', missing, versionOf(0, 20), 0],
  ['a missing record, if Redis was empty in a later epoch', missing, versionOf(2, 20), 2],
  ['a missing record, if Redis may have been empty in a later epoch', missing, versionOf(2, 20), null],
  ['a missing account, if Redis may evict it', deleted, versionOf(1, 20), 0, true]
] as const) {
  test(`${name} leaves the key active`, async () => {
    const ending = judgeEnding({ version, record: activeKey }, projected, { verified, since }, mayEvict ?? false)
    assert.equal(ending, null)
  })
}
