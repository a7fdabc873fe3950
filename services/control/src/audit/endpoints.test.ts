import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AuditResponse } from '@tollgate/contracts/http/audit.ts'
import { eq } from 'drizzle-orm'
import { operatorActs } from '../database/schema/admin.ts'
import { auditLog } from '../database/schema/audit.ts'
import { pruneAuditLog, pruneOperatorActs } from '../retention/prune-logs.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { recordAudit } from './record-audit.ts'

onDatabase('the audit log', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const { orm } = control.database
  const ada = await control.signUp()
  const bob = await control.signUp()
  const read = async (query = '', cookie = ada.cookie) => {
    const answer = await call('GET', `/api/audit${query}`, { cookie })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as AuditResponse
  }
  const clear = () => orm.delete(auditLog)
  /** Adds rows of one account, oldest first, three at each moment. */
  const add = (accountId: string, count: number, at = new Date()) =>
    orm.transaction(async (tx) => {
      for (let n = 0; n < count; n++) {
        const time = new Date(at.getTime() + Math.floor(n / 3))
        const key = { action: 'key.created', subject: `key_${n}` } as const
        await recordAudit(tx, { accountId, actorId: accountId, ...key, detail: { n }, ip: '192.0.2.7', at: time })
      }
    })

  await t.test('a row shows who did what, when and from where', async () => {
    await clear()
    await add(ada.id, 1)
    const [entry] = (await read()).entries
    assert.ok(entry)
    const { id, at, ...rest } = entry
    assert.match(id, /^\d+$/)
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
    assert.deepEqual(rest, {
      action: 'key.created',
      actor_id: ada.id,
      actor_email: ada.email,
      subject: 'key_0',
      detail: { n: 0 },
      ip: '192.0.2.7'
    })
  })

  await t.test('changes by the service have no actor and no address', async () => {
    await clear()
    await orm.transaction((tx) =>
      recordAudit(tx, { accountId: ada.id, actorId: null, action: 'account.suspended', ip: '', at: new Date() })
    )
    const [entry] = (await read()).entries
    assert.deepEqual([entry!.actor_id, entry!.actor_email, entry!.subject, entry!.ip], [null, null, null, null])
    assert.deepEqual(entry!.detail, {})
  })

  await t.test('changes of keys, sessions and plans leave rows with a subject and without secrets', async () => {
    await clear()
    const cookie = await control.signIn(ada)
    const created = await call('POST', '/api/keys', { cookie, body: { label: 'audited' } })
    const { id, value } = (created.body as { key: { id: string; value: string } }).key
    for (const _ of [1, 2]) assert.equal((await call('DELETE', `/api/keys/${id}`, { cookie })).status, 200)
    await control.setPlan(ada.id, 'pro')
    await call('POST', '/api/auth/signout', { cookie: await control.signIn(ada) })
    const log = await read()
    assert.deepEqual(log.entries.map(({ action, subject, actor_id: actor }) => [action, subject, actor]).sort(), [
      ['auth.login', null, ada.id],
      ['auth.login', null, ada.id],
      ['auth.signout', null, ada.id],
      ['key.created', id, ada.id],
      ['key.revoked', id, ada.id],
      ['plan.changed', null, null]
    ])
    const keyRows = log.entries.filter(({ subject }) => subject === id)
    assert.ok(keyRows.every(({ detail, ip }) => detail.label === 'audited' && ip === '127.0.0.1'))
    assert.ok(!JSON.stringify(log).includes(value))
    assert.ok(!JSON.stringify(log).includes(cookie.split('=')[1]!))
  })

  await t.test('a seat does not read the log of its team', async () => {
    const owner = await control.signUp({ plan: 'team' })
    const seat = await control.signUp()
    const invited = await call('POST', '/api/team/seats', { cookie: owner.cookie, body: { email: seat.email } })
    const token = (invited.body as { invitation: { link: string } }).invitation.link.split('/').at(-1)
    const path = `/api/team/invitations/${token}/accept`
    assert.equal((await call('POST', path, { cookie: seat.cookie })).status, 200)
    const answer = await call('GET', '/api/audit', { cookie: seat.cookie })
    assert.equal(answer.status, 403)
    assert.equal((answer.body as { error: { code: string } }).error.code, 'forbidden')
    assert.deepEqual(
      (await read('', owner.cookie)).entries.slice(0, 2).map(({ action }) => action),
      ['team.joined', 'team.invited']
    )
  })

  await t.test('a page continues after the last one, also between rows of one moment', async () => {
    await clear()
    await add(ada.id, 10)
    const newestFirst = Array.from({ length: 10 }, (_, n) => `key_${9 - n}`)
    for (const limit of [1, 2, 3, 4, 9, 10, 100]) {
      const subjects: Array<string | null> = []
      let page = await read(`?limit=${limit}`)
      for (;;) {
        subjects.push(...page.entries.map(({ subject }) => subject))
        assert.equal(page.has_more, page.next_cursor !== null)
        if (page.next_cursor === null) break
        assert.equal(page.entries.length, limit)
        page = await read(`?limit=${limit}&cursor=${page.next_cursor}`)
      }
      assert.deepEqual(subjects, newestFirst, `by ${limit}`)
    }
  })

  await t.test('nobody reads the log of another account', async () => {
    await clear()
    await add(ada.id, 2)
    assert.equal((await read('', bob.cookie)).entries.length, 0)
    assert.equal((await call('GET', '/api/audit')).status, 401)
  })

  await t.test('invalid limits and cursors are refused', async () => {
    for (const query of ['limit=0', 'limit=101', 'limit=1.5', 'limit=-1', 'limit=', 'cursor=', 'cursor=x', 'page=2']) {
      const answer = await call('GET', `/api/audit?${query}`, { cookie: ada.cookie })
      assert.equal(answer.status, 400, query)
      assert.equal((answer.body as { error: { code: string } }).error.code, 'invalid_request', query)
    }
  })

  await t.test('rows are deleted after their time and not before, with any number of replicas at once', async () => {
    await clear()
    const oldest = new Date(Date.now() - 400 * 86_400_000)
    await add(ada.id, 1, oldest)
    const old = new Date(oldest.getTime() - 1)
    await orm
      .insert(auditLog)
      .values(Array.from({ length: 2500 }, () => ({ ...blank, accountId: randomUUID(), at: old })))
    const removed = await Promise.all([1, 2, 3].map(() => pruneAuditLog(orm, oldest)))
    const rest = await pruneAuditLog(orm, oldest)
    assert.equal(removed.reduce((sum, count) => sum + count) + rest, 2500)
    assert.equal(await orm.$count(auditLog), 1)
    assert.equal(await orm.$count(auditLog, eq(auditLog.accountId, ada.id)), 1)
    const act = { actorId: ada.id, action: 'key.revoked', reason: 'leaked', detail: {}, ip: '' }
    await orm.insert(operatorActs).values([old, oldest].map((at) => ({ ...act, at })))
    assert.equal(await pruneOperatorActs(orm, oldest), 1)
    assert.equal(await orm.$count(operatorActs), 1)
  })

  await t.test('a change that is rolled back leaves no row', async () => {
    await clear()
    await assert.rejects(
      orm.transaction(async (tx) => {
        await recordAudit(tx, { accountId: ada.id, actorId: null, action: 'key.revoked', ip: '', at: new Date() })
        throw new Error('rolled back')
      }),
      /rolled back/
    )
    assert.equal(await orm.$count(auditLog), 0)
  })
})

const blank = { actorId: null, action: 'auth.login', subject: null, detail: {}, ip: '' }
