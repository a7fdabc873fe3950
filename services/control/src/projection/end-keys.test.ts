import assert from 'node:assert/strict'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { secretShard } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import { auditLog } from '../database/schema/audit.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { events } from '../database/schema/notices.ts'
import { shards } from '../database/schema/projection.ts'
import { onDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { endKeys } from './end-keys.ts'
import { createPostgresSource } from './postgres-source.ts'
import type { EndedKey } from './source.ts'
import { seedKeys } from './testing/ask-as-gateway.ts'

onDatabase('keys that ended before a restore', async (t, newDatabase) => {
  const database = await openMigratedDatabase(await newDatabase())
  t.after(() => database.close())
  const { orm } = database
  await seedKeys(orm, { count: 4, accounts: 1 })
  const epoch = 3
  const rowOf = async (number: number) => {
    const [row] = await orm
      .select()
      .from(keys)
      .where(eq(keys.id, `key_${String(number).padStart(24, '0')}`))
    return row!
  }
  const ended = async (number: number, ending: EndedKey['ending'], later = 0): Promise<EndedKey> => {
    const { accountId: account, id: key, version, digest } = await rowOf(number)
    return { account, key, version: versionOf(epoch, version + later), digest, ending }
  }
  const digest = 'ab'.repeat(32)
  await createPostgresSource(orm).raiseEpoch(0, epoch - 1)

  await t.test('are revoked, once, with a line in the audit log', async () => {
    const before = await rowOf(1)
    const one = await ended(1, { kind: 'revoked' })
    assert.deepEqual(await endKeys(orm, [one]), [one])
    const shardsBefore = await orm.select().from(shards)
    assert.deepEqual(await endKeys(orm, [one]), [], 'another replica ended it')
    assert.deepEqual(await orm.select().from(shards), shardsBefore, 'no shard is written to Redis again')
    const row = await rowOf(1)
    assert.equal(row.status, 'revoked')
    assert.ok(row.revokedAt !== null && row.version > before.version)
    const lines = await orm.select().from(auditLog)
    assert.deepEqual(
      lines.map(({ action, subject, actorId, detail }) => ({ action, subject, actorId, detail })),
      [{ action: 'key.revoked', subject: row.id, actorId: null, detail: { label: 'key', restored: true } }]
    )
  })

  await t.test('get their later secret, and the one before ends when its grace ends', async () => {
    const before = await rowOf(2)
    const until = Date.now() + 60_000
    await endKeys(orm, [await ended(2, { kind: 'rotated', digest, previous: { digest: before.digest, until } })])
    const row = await rowOf(2)
    assert.deepEqual(
      [row.digest, row.secretShard, row.previousDigest, row.previousUntil?.getTime(), row.status],
      [digest, secretShard(digest), before.digest, until, 'active']
    )
    const [former] = await orm.select().from(formerSecrets)
    assert.deepEqual([former?.digest, former?.diesAt.getTime(), former?.version], [before.digest, until, row.version])
  })

  await t.test('record one event each', async () => {
    const recorded = await orm.select().from(events)
    const { id, label, scope, metadata } = await rowOf(1)
    const rotated = await rowOf(2)
    assert.deepEqual(
      recorded.map(({ type, data }) => [type, data]),
      [
        ['key.revoked', { key: { id, label, scope, metadata } }],
        [
          'key.rotated',
          {
            key: { id: rotated.id, label, scope, metadata },
            old_secret_until: rotated.previousUntil!.toISOString()
          }
        ]
      ]
    )
  })

  await t.test('stay as they are if somebody has changed them meanwhile', async () => {
    const before = await rowOf(3)
    assert.equal((await endKeys(orm, [await ended(3, { kind: 'revoked' }, -1)])).length, 0)
    assert.deepEqual(await rowOf(3), before)
  })
  await t.test('stay as they are if they were read in an earlier epoch, whose numbers are used again', async () => {
    const before = await rowOf(3)
    const read = await ended(3, { kind: 'revoked' })
    await endKeys(orm, [{ ...read, version: versionOf(epoch - 1, before.version) }])
    assert.deepEqual(await rowOf(3), before)
  })

  await t.test('never get a former secret back', async () => {
    const before = await rowOf(2)
    const [former] = await orm.select().from(formerSecrets)
    await endKeys(orm, [await ended(2, { kind: 'rotated', digest: former!.digest, previous: null })])
    assert.deepEqual(await rowOf(2), before)
  })
})
