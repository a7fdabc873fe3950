import assert from 'node:assert/strict'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { accountShard, accountShards, secretShard, secretShards } from '@tollgate/state/keyspace/names.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'
import { eq, sql } from 'drizzle-orm'
import { keys } from '../database/schema/keys.ts'
import { onEachDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { createPostgresSource } from './postgres-source.ts'
import { recordChange } from './record-change.ts'
import { seedKeys } from './testing/ask-as-gateway.ts'

async function all(pages: AsyncIterable<ProjectionWrite[]>): Promise<ProjectionWrite[]> {
  const writes: ProjectionWrite[] = []
  for await (const page of pages) writes.push(...page)
  return writes
}

onEachDatabase('the source', async (t, newDatabase) => {
  const database = await openMigratedDatabase(await newDatabase())
  t.after(() => database.close())
  const { orm } = database
  const source = createPostgresSource(orm)

  await t.test('an empty database has no epoch, no changes and no catalog', async () => {
    const { nowMs, ...truth } = await source.readTruth()
    assert.deepEqual(truth, { epoch: 0, changes: new Map(), purged: new Map(), catalog: 0 })
    assert.ok(Number.isInteger(nowMs) && Math.abs(nowMs - Date.now()) < 60_000)
    await assert.rejects(source.readCatalog())
    assert.deepEqual(await source.writesOfAccount('6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'), [])
    assert.deepEqual(await source.writesOfKey('6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11', 'key_1'), [])
  })

  await t.test('every row is read exactly once, even if one change touched more rows than a page has', async () => {
    // All belong to one account, so its shard has 2,501 rows of one version.
    await seedKeys(orm, { count: 2500, accounts: 1 })
    const { changes } = await source.readTruth()
    const writes: ProjectionWrite[] = []
    for (const shard of accountShards) writes.push(...(await all(source.writesAfter([shard], 0, 2, false))))
    assert.equal(writes.length, 2501)
    assert.equal(writes[0]!.kind, 'account')
    const ids = new Set(writes.flatMap((write) => (write.kind === 'key' ? write.key : [])))
    assert.equal(ids.size, 2500)
    const shard = accountShard(writes[0]!.kind === 'account' ? writes[0]!.account : '')
    for (const write of writes) {
      assert.ok(write.kind !== 'pointer' && accountShard(write.account) === shard)
      assert.equal(write.version, versionOf(2, changes.get(shard)!))
    }
    const pointers: ProjectionWrite[] = []
    for (const secrets of secretShards) {
      const writes = await all(source.writesAfter([secrets], 0, 2, false))
      for (const write of writes) assert.ok(write.kind === 'pointer' && secretShard(write.digest) === secrets)
      pointers.push(...writes)
    }
    assert.equal(new Set(pointers.map((write) => (write.kind === 'pointer' ? write.digest : ''))).size, 2500)
    assert.equal(pointers.length, 2500)
    // There are no later changes.
    assert.deepEqual(await all(source.writesAfter([shard], changes.get(shard)!, 2, false)), [])
  })

  const [row] = await orm.select().from(keys).where(eq(keys.id, 'key_000000000000000000000007'))
  const { accountId, digest, id } = row!
  const change = (set: Partial<typeof keys.$inferInsert>) =>
    orm.transaction(async (tx) => {
      const version = await recordChange(tx, [accountShard(accountId), secretShard(digest)])
      await tx
        .update(keys)
        .set({ ...set, version })
        .where(eq(keys.id, id))
      return version
    })

  await t.test('a key has all that admission needs, under the current epoch', async () => {
    const expiresAt = new Date('2027-01-02T03:04:05.678Z')
    const version = await change({ expiresAt, models: ['a', 'b'], tokensPerMinute: 40_000, concurrentRequests: 3 })
    const record = {
      status: 'active',
      digest,
      previous: null,
      expiresAt: expiresAt.getTime(),
      models: ['a', 'b'],
      monthlyBudgetNanos: null,
      requestsPerMinute: null,
      tokensPerMinute: 40_000,
      concurrentRequests: 3,
      label: 'key'
    }
    const pointer = { key: id, account: accountId, scope: 'inference' }
    assert.deepEqual(await source.writesOfKey(accountId, id), [
      { kind: 'key', account: accountId, key: id, version: versionOf(0, version), record },
      { kind: 'pointer', digest, pointer, diedAt: null }
    ])
    assert.deepEqual(await source.writesOfAccount(accountId), [
      {
        kind: 'account',
        account: accountId,
        version: (await source.writesOfAccount(accountId)).map((write) => 'version' in write && write.version)[0],
        record: { plan: 'free', status: 'active', ownCapNanos: null }
      }
    ])
    assert.deepEqual(await source.writesOfKey('6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11', id), [])
  })

  await t.test('only rows after the given change are read', async () => {
    const before = (await source.readTruth()).changes
    const version = await change({ label: 'changed' })
    const records = await all(
      source.writesAfter([accountShard(accountId)], before.get(accountShard(accountId))!, 0, false)
    )
    assert.deepEqual(
      records.map((write) => write.kind === 'key' && [write.key, write.version]),
      [[id, version]]
    )
    const pointers = await all(source.writesAfter([secretShard(digest)], version - 1, 0, false))
    assert.deepEqual(
      pointers.map((write) => write.kind === 'pointer' && write.digest),
      [digest]
    )
  })

  await t.test('a row that changes during the read is also read in its later state', async () => {
    const shard = accountShard(accountId)
    const seen: Array<[number, unknown]> = []
    let changed = 0
    for await (const page of source.writesAfter([shard], 0, 0, false)) {
      for (const write of page)
        if (write.kind === 'key' && write.key === id) seen.push([write.version, write.record.models])
      if (changed === 0) changed = await change({ models: ['later'] })
    }
    assert.deepEqual(seen.at(-1), [changed, ['later']])
  })

  await t.test(
    'revoked keys are replayed for a day and their secrets for an hour, later only where Redis may have them',
    async () => {
      const shard = accountShard(accountId)
      const isReplayed = async (withDead: boolean) => {
        const records = await all(source.writesAfter([shard], 0, 0, withDead))
        const pointers = await all(source.writesAfter([secretShard(digest)], 0, 0, withDead))
        return [
          records.some((write) => write.kind === 'key' && write.key === id && write.record.status === 'revoked'),
          pointers.some((write) => write.kind === 'pointer' && write.digest === digest)
        ]
      }
      const revokedAt = new Date(Date.now() - 59 * 60_000)
      await change({ status: 'revoked', revokedAt })
      assert.deepEqual(await isReplayed(false), [true, true])
      const [, pointer] = await source.writesOfKey(accountId, id)
      assert.equal(pointer!.kind === 'pointer' && pointer!.diedAt, revokedAt.getTime())
      await change({ revokedAt: new Date(Date.now() - 61 * 60_000) })
      assert.deepEqual(await isReplayed(false), [true, false])
      await change({ revokedAt: new Date(Date.now() - 25 * 3_600_000) })
      assert.deepEqual(await isReplayed(false), [false, false])
      assert.deepEqual(await isReplayed(true), [true, true])
    }
  )

  await t.test('one of several concurrent calls raises the epoch above both sides', async () => {
    await Promise.all(Array.from({ length: 5 }, () => source.raiseEpoch(0, 3)))
    assert.equal((await source.readTruth()).epoch, 4)
    await source.raiseEpoch(0, 9)
    assert.equal((await source.readTruth()).epoch, 4)
    await source.raiseEpoch(4, 2)
    assert.equal((await source.readTruth()).epoch, 5)
    const [write] = await source.writesOfAccount(accountId)
    assert.ok(write!.kind === 'account' && write!.version > versionOf(5, 0))
  })

  await t.test('replays use an index', async () => {
    await orm.execute(sql`analyze`)
    const explained: unknown = await orm.execute(sql`
      explain select * from keys where account_shard = 'a01' and (version, id) > (5, 'key_') order by version, id limit 1000`)
    assert.match(JSON.stringify(explained), /keys_account_shard_version/)
    assert.doesNotMatch(JSON.stringify(explained), /Seq Scan/)
  })
})
