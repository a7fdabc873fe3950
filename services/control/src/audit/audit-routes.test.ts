import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AuditResponse } from '@tollgate/contracts/http/audit.ts'
import { eq } from 'drizzle-orm'
import { auditLog, operatorActs } from '../database/schema/audit.ts'
import { oldRows } from '../retention/old-rows.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { type AuditPlace, allEntries } from './audit-filter.ts'
import { type AuditPage, readAuditLog } from './read-audit-log.ts'
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
      ip: '192.0.2.7',
      actor_key_label: null,
      subject_exists: false
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
    for (const address of ['/api/audit', '/api/audit/export']) {
      const answer = await call('GET', address, { cookie: seat.cookie })
      assert.equal(answer.status, 403)
      assert.equal((answer.body as { error: { code: string } }).error.code, 'forbidden')
    }
    assert.deepEqual(
      (await read('', owner.cookie)).entries.slice(0, 2).map(({ action, subject_exists }) => [action, subject_exists]),
      [
        ['team.joined', true],
        ['team.invited', false]
      ]
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

  await t.test('every filter excludes the others, also together', async () => {
    await clear()
    const at = Date.now() - 60_000
    const key = `key_${'7'.repeat(24)}`
    const deeds = [
      { actorId: ada.id, action: 'key.created', subject: 'key_a', detail: { label: 'Müller 100%_"x"' } },
      { actorId: null, action: 'key.revoked', subject: 'key_a', detail: { label: 'b', by_key: key } },
      { actorId: null, action: 'plan.changed', detail: { from: 'free', to: 'pro' } },
      { actorId: bob.id, action: 'key.created', subject: 'key_b', detail: {}, ip: '198.51.100.4' },
      { actorId: ada.id, action: 'auth.login', detail: {} }
    ] as const
    await orm.transaction(async (tx) => {
      for (const [n, deed] of deeds.entries()) {
        await recordAudit(tx, { accountId: ada.id, ip: '192.0.2.7', ...deed, at: new Date(at + n) })
      }
      await recordAudit(tx, { accountId: bob.id, actorId: bob.id, action: 'key.created', ip: '', at: new Date(at) })
    })
    const time = (n: number) => encodeURIComponent(new Date(at + n).toISOString())
    for (const [query, ...expected] of [
      ['action=key.created', 3, 0],
      ['action=key', 3, 1, 0],
      ['action=plan.changed,auth', 4, 2],
      ['action=key.painted'],
      ['action=garden'],
      [`actor=${ada.id}`, 4, 0],
      [`actor=${ada.id}&action=auth`, 4],
      [`actor=${ada.id}&subject=key_b`],
      [`actor=${bob.id}&subject=key_b`, 3],
      [`actor=${key}`, 1],
      ['actor=service', 2],
      ['actor=service&action=key'],
      ['subject=key_a', 1, 0],
      ['subject=key_a&action=key.created', 0],
      [`from=${time(2)}`, 4, 3, 2],
      [`to=${time(2)}`, 1, 0],
      [`from=${time(1)}&to=${time(3)}&action=key`, 1],
      ['q=PLAN.', 2],
      ['q=m%C3%BCller', 0],
      ['q=100%25_', 0],
      ['q=%25%25'],
      ['q=%22X%22', 0],
      ['q=198.51', 3],
      [`q=${encodeURIComponent(ada.email.toUpperCase())}`, 4, 0],
      ['q=label'],
      ['q=key_a&actor=service'],
      [`q=${key}`, 1]
    ] as ReadonlyArray<[string, ...number[]]>) {
      const { entries } = await read(`?${query}`)
      assert.deepEqual(
        entries.map((entry) => Date.parse(entry.at) - at),
        expected,
        query
      )
    }
  })

  await t.test('a page that has searched enough ends early, and the next ones find the rest', async () => {
    await clear()
    await add(ada.id, 10)
    const filter = { ...allEntries(ada.id), text: 'key_3' }
    const subjects: Array<string | null> = []
    let before: AuditPlace | null = null
    let pages = 0
    do {
      const page: AuditPage = await readAuditLog(orm, filter, { before, limit: 5, examined: 3 })
      subjects.push(...page.rows.map(({ subject }) => subject))
      before = page.next
      pages++
    } while (before !== null)
    assert.deepEqual([subjects, pages], [['key_3'], 4])
    assert.equal((await read('?q=key_3')).searched_to, null)
  })

  await t.test('an export has all entries that match, as NDJSON and as CSV without formulas', async () => {
    await clear()
    await add(ada.id, 1200)
    const exported = await call('GET', '/api/audit/export?action=key', { cookie: ada.cookie })
    const lines = String(exported.body).trim().split('\n')
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { subject: string }).subject),
      Array.from({ length: 1200 }, (_, n) => `key_${1199 - n}`)
    )
    await orm.transaction((tx) =>
      recordAudit(tx, {
        accountId: ada.id,
        actorId: ada.id,
        action: 'key.created',
        subject: '=1+1',
        ip: '',
        at: new Date(),
        detail: { label: 'a, "b"' }
      })
    )
    const csv = await call('GET', '/api/audit/export?format=csv&subject=%3D1%2B1', { cookie: ada.cookie })
    const [header, row] = String(csv.body).split('\r\n')
    assert.equal(header, 'id,at,action,actor_id,actor_email,subject,detail,ip')
    assert.ok(row!.endsWith(`,key.created,${ada.id},${ada.email},'=1+1,"{""label"":""a, \\""b\\""""}",`), row)
    const none = await call('GET', '/api/audit/export?subject=none', { cookie: ada.cookie })
    assert.deepEqual([none.status, none.body], [200, ''])
  })

  await t.test('nobody reads the log of another account', async () => {
    await clear()
    await add(ada.id, 2)
    assert.equal((await read('', bob.cookie)).entries.length, 0)
    assert.equal((await call('GET', '/api/audit')).status, 401)
    assert.equal((await call('GET', '/api/audit/export')).status, 401)
    assert.equal((await call('GET', '/api/audit/export', { cookie: bob.cookie })).body, '')
  })

  await t.test('invalid limits and cursors are refused', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=1.5',
      'limit=-1',
      'limit=',
      'cursor=',
      'cursor=x',
      'page=2',
      ...badFilters
    ]) {
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
    const removed = await Promise.all([1, 2, 3].map(() => oldRows.auditLog.prune(orm, oldest)))
    const rest = await oldRows.auditLog.prune(orm, oldest)
    assert.equal(removed.reduce((sum, count) => sum + count) + rest, 2500)
    assert.equal(await orm.$count(auditLog), 1)
    assert.equal(await orm.$count(auditLog, eq(auditLog.accountId, ada.id)), 1)
    const act = { actorId: ada.id, action: 'key.revoked', reason: 'leaked', detail: {}, ip: '' }
    await orm.insert(operatorActs).values([old, oldest].map((at) => ({ ...act, at })))
    assert.equal(await oldRows.operatorActs.prune(orm, oldest), 1)
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

const badFilters = ['action=', 'action=key.', 'action=Key', 'actor=ada', 'subject=', 'from=2026', 'to=x', 'q=', 'q=%00']
const blank = { actorId: null, action: 'auth.login', subject: null, detail: {}, ip: '' }
