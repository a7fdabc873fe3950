import assert from 'node:assert/strict'
import { AccountExport } from '@tollgate/contracts/http/account-export.ts'
import { Value } from 'typebox/value'
import { auditLog } from '../database/schema/audit.ts'
import { ledger } from '../database/schema/usage.ts'
import { teamOf } from '../team/testing/team-of.ts'
import { codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { addLedgerMonths } from '../usage/testing/memory-ledger.ts'
import { monthOf } from '../usage/usage-range.ts'

onDatabase('the export of one’s own data', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), limits: { exportData: 6 } })
  t.after(() => control.close())
  const { call, database } = control
  const { orm } = database

  async function exported(cookie: string): Promise<AccountExport> {
    const { status, headers, body } = await call('GET', '/api/account/export', { cookie })
    assert.equal(status, 200)
    assert.match(String(headers['content-disposition']), /^attachment; filename="my-data-\d{4}-\d\d-\d\d\.json"$/)
    assert.deepEqual([...Value.Errors(AccountExport, body)], [])
    return body as AccountExport
  }

  await t.test('it has the user, account, keys, sessions, usage and log, and no secret', async () => {
    const ada = await control.signUp({ plan: 'pro' })
    const created = await call('POST', '/api/keys', { cookie: ada.cookie, body: { label: 'Mine' } })
    const { id: key, value } = (created.body as { key: { id: string; value: string } }).key
    const now = new Date()
    const month = monthOf(now).from
    await addLedgerMonths(orm, month.toISOString().slice(0, 10))
    const hour = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000)
    const row = { accountId: ada.id, hour, run: 'run', keyId: key, model: 'small', revision: 1, upstream: 'openai' }
    const other = { ...row, accountId: '00000000-0000-4000-8000-00000000000b', keyId: 'key_other' }
    await orm.insert(ledger).values([
      { ...row, requests: 2, promptTokens: 10, costNanos: 1_500_000_001 },
      { ...other, requests: 9 }
    ])
    const data = await exported(ada.cookie)
    assert.deepEqual(data.user, { id: ada.id, email: ada.email, name: ada.name })
    assert.deepEqual([data.account.id, data.account.plan, data.seat, data.customer], [ada.id, 'pro', null, null])
    assert.deepEqual(
      data.keys.map(({ id, label, account_id }) => [id, label, account_id]),
      [[key, 'Mine', ada.id]]
    )
    assert.deepEqual(
      data.usage.map(({ key_id, model, requests, cost_usd }) => [key_id, model, requests, cost_usd]),
      [[key, 'small', 2, '1.500000001']]
    )
    const listed = (await call('GET', '/api/auth/sessions', { cookie: ada.cookie })).body as {
      sessions: { id: string }[]
    }
    assert.deepEqual(data.sessions.map(({ id }) => id).toSorted(), listed.sessions.map(({ id }) => id).toSorted())
    assert.deepEqual(
      data.members.map(({ email }) => email),
      [ada.email]
    )
    const actions = data.audit.map(({ action }) => action)
    assert.ok(actions.includes('key.created') && actions.includes('auth.login'), String(actions))
    assert.equal(actions[0], 'user.exported')
    const text = JSON.stringify(data)
    assert.ok(!text.includes(value) && !text.includes(ada.password) && !text.includes('openai'))
    assert.ok(!text.includes('key_other'))
  })

  await t.test('a user with a seat gets what they did in the team, and nothing of others', async () => {
    const owner = await control.signUp({ plan: 'team' })
    const seat = await control.signUp({})
    await teamOf(control).joined(owner, seat)
    await call('POST', '/api/keys', { cookie: owner.cookie, body: { label: 'Of the owner' } })
    await call('POST', '/api/keys', { cookie: seat.cookie, body: { label: 'Of the seat' } })
    const data = await exported(seat.cookie)
    assert.equal(data.seat?.account_id, owner.id)
    assert.equal(data.account.id, seat.id)
    assert.deepEqual(
      data.keys.map(({ label, account_id }) => [label, account_id]),
      [['Of the seat', owner.id]]
    )
    assert.ok(data.audit.some(({ action, actor_id }) => action === 'key.created' && actor_id === seat.id))
    assert.ok(!JSON.stringify(data).includes(owner.email))
  })

  await t.test('a long log is exported in whole, each entry once', async () => {
    const bob = await control.signUp({})
    const entries = Array.from({ length: 1203 }, (_, number) => ({
      accountId: bob.id,
      actorId: bob.id,
      action: 'user.updated',
      subject: `${number}`,
      detail: {},
      ip: '',
      at: new Date(Date.UTC(2026, 0, 1) + Math.floor(number / 7))
    }))
    for (let from = 0; from < entries.length; from += 401) {
      await orm.insert(auditLog).values(entries.slice(from, from + 401))
    }
    const { audit } = await exported(bob.cookie)
    assert.equal(new Set(audit.map(({ id }) => id)).size, audit.length)
    assert.equal(audit.filter(({ action }) => action === 'user.updated').length, 1203)
  })

  await t.test('only a session may export, and not too often', async () => {
    const eve = await control.signUp({})
    assert.equal((await call('GET', '/api/account/export')).status, 401)
    const answers = []
    for (let attempt = 0; attempt < 7; attempt++) {
      answers.push(await call('GET', '/api/account/export', { cookie: eve.cookie }))
    }
    const last = answers.at(-1)!
    assert.deepEqual([last.status, codeOf(last)], [429, 'too_many_requests'])
  })
})
