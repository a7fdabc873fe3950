import assert from 'node:assert/strict'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import type { ProjectedKey } from '@tollgate/state/projection/read-keys.ts'
import { activeKey } from '@tollgate/state/testing/active-key.ts'
import { test } from 'tap'
import { judgeEnding } from './judge-ending.ts'

const version = versionOf(1, 10)
const other = 'f'.repeat(64)
const hasAccount = true
const record = (at: number, content: Partial<typeof activeKey>): ProjectedKey => ({
  record: { version: at, content: { ...activeKey, ...content } },
  hasAccount
})
const missing: ProjectedKey = { record: null, hasAccount }
const revoked = { kind: 'revoked' as const }

for (const [name, projected, verified, ending] of [
  ['a later tombstone', record(versionOf(1, 11), { status: 'revoked' }), null, revoked],
  ['a tombstone of a later epoch', record(versionOf(2, 3), { status: 'revoked' }), null, revoked],
  ['a removed tombstone', missing, versionOf(1, 10), revoked],
  [
    'a later secret',
    record(versionOf(1, 11), { digest: other }),
    null,
    { kind: 'rotated' as const, digest: other, previous: null }
  ]
] as const) {
  test(`${name} ends the secret of a key that PostgreSQL takes for active`, async () => {
    assert.deepEqual(judgeEnding({ version, record: activeKey }, projected, verified), ending)
  })
}

for (const [name, projected, verified] of [
  ['the same record', record(version, {}), versionOf(1, 20)],
  ['a later record with the same secret', record(versionOf(1, 11), { models: [] }), versionOf(1, 20)],
  ['a tombstone of an earlier change', record(versionOf(1, 9), { status: 'revoked' }), versionOf(1, 20)],
  ['an earlier secret', record(versionOf(1, 9), { digest: other }), versionOf(1, 20)],
  ['a missing record of an unverified shard', missing, null],
  ['a missing record that Redis may not have had yet', missing, versionOf(1, 9)],
  ['a missing record, if Redis is of another epoch', missing, versionOf(2, 20)],
  ['a missing record, if the account is missing too', { record: null, hasAccount: false }, versionOf(1, 20)]
] as const) {
  test(`${name} leaves the key active`, async () => {
    assert.equal(judgeEnding({ version, record: activeKey }, projected, verified), null)
  })
}
