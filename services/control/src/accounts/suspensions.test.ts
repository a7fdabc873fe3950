import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { byService } from '../audit/record-audit.ts'
import { queryRows } from '../database/connect.ts'
import type { SuspensionReason } from '../database/schema/accounts.ts'
import { teamOf } from '../team/testing/team-of.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { resumeAccount, suspendAccount } from './suspensions.ts'

const reasons: SuspensionReason[] = ['identity', 'team', 'deleted']

onDatabase('suspension', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { orm } = control.database
  const { record } = teamOf(control)
  const by = { ...byService(new Date()), ip: '192.0.2.1' }
  const change = (make: typeof suspendAccount, id: string, reason: SuspensionReason) =>
    orm.transaction((tx) => make(tx, id, reason, by))
  const stateOf = async (id: string) =>
    (
      await queryRows<{ status: string; reasons: string; version: string; audited: string }>(
        orm,
        sql`
          select status, array_to_string(suspensions, ',') as reasons, version::text,
            (select count(*)::text from audit_log where account_id = ${id} and action like 'account.%') as audited
          from accounts where id = ${id}`
      )
    )[0]!

  await t.test('an account is suspended while it has a reason, and each change is recorded once', async () => {
    const { id } = await control.signUp()
    const first = await stateOf(id)
    assert.equal(first.status, 'active')
    assert.equal(await change(resumeAccount, id, 'team'), false)
    assert.equal(await change(suspendAccount, id, 'team'), true)
    assert.equal(await change(suspendAccount, id, 'team'), false)
    assert.equal(await change(suspendAccount, id, 'identity'), true)
    assert.equal((await stateOf(id)).reasons, 'team,identity')
    assert.equal(await change(resumeAccount, id, 'team'), true)
    assert.equal((await stateOf(id)).status, 'suspended')
    await control.projector.accountChanged(id)
    assert.equal((await record(id)).status, 'suspended')
    assert.equal((await record(id)).isOwnerInTeam, undefined, 'the team is not the reason')
    assert.equal(await change(resumeAccount, id, 'identity'), true)
    const last = await stateOf(id)
    assert.deepEqual([last.status, last.reasons, last.audited], ['active', '', '4'])
    assert(Number(last.version) > Number(first.version))
    await control.projector.accountChanged(id)
    assert.equal((await record(id)).status, 'active')
  })

  await t.test('an unknown account changes nothing; an unknown reason cannot be stored', async () => {
    assert.equal(await change(suspendAccount, crypto.randomUUID(), 'team'), false)
    const { id } = await control.signUp()
    for (const wrong of ["'{bored}'", "'{team,NULL}'"]) {
      await assert.rejects(async () => {
        await orm.execute(sql`update accounts set suspensions = ${sql.raw(wrong)} where id = ${id}`)
      })
    }
    await assert.rejects(async () => {
      await orm.execute(sql`update accounts set status = 'active' where id = ${id}`)
    })
  })

  await t.test('each concurrent reason counts once', async () => {
    const { id } = await control.signUp()
    const all = (make: typeof suspendAccount) =>
      Promise.all([...reasons, ...reasons, ...reasons].map((reason) => change(make, id, reason)))
    assert.equal((await all(suspendAccount)).filter(Boolean).length, 3)
    assert.deepEqual((await stateOf(id)).reasons.split(',').sort(), [...reasons].sort())
    assert.equal((await all(resumeAccount)).filter(Boolean).length, 3)
    const { status, audited } = await stateOf(id)
    assert.deepEqual([status, audited], ['active', '6'])
  })

  await t.test('a rolled back change has no effect', async () => {
    const { id } = await control.signUp()
    const before = await stateOf(id)
    await assert.rejects(
      orm.transaction(async (tx) => {
        await suspendAccount(tx, id, 'identity', by)
        throw new Error('no')
      }),
      /no/
    )
    assert.deepEqual(await stateOf(id), before)
  })
})
