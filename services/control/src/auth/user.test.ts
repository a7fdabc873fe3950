import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import type { Answer } from '../testing/call-control.ts'
import { serviceRoleKey } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import { startIdentityProxy } from '../testing/identity-proxy.ts'
import type { RunningControl, TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

const codeOf = (answer: Answer) => (answer.body as { error: { code: string } }).error.code
const day = 86_400_000

const adminOf = ({ identity }: RunningControl) =>
  createClient(identity.url, serviceRoleKey, { auth: { persistSession: false, autoRefreshToken: false } }).auth.admin

async function createKey({ call }: RunningControl, { cookie }: TestUser): Promise<string> {
  const answer = await call('POST', '/api/keys', { cookie, body: { label: 'one' } })
  assert.equal(answer.status, 201)
  return (answer.body as { key: { id: string } }).key.id
}

type Row = Record<string, unknown>

/** The tables that contain a text. */
async function tablesWith({ database }: RunningControl, text: string): Promise<string[]> {
  const tables = await queryRows<{ name: string }>(
    database.orm,
    sql`select table_name as name from information_schema.tables where table_schema = 'public'`
  )
  const names: string[] = []
  for (const { name } of tables) {
    const rows = await queryRows(database.orm, sql`select * from ${sql.identifier(name)}`)
    if (JSON.stringify(rows, (_name, value) => (typeof value === 'bigint' ? String(value) : value)).includes(text)) {
      names.push(name)
    }
  }
  return names
}

async function stateOf({ database }: RunningControl, id: string): Promise<Row> {
  const [row] = await queryRows<Row>(
    database.orm,
    sql`
      select users.email, users.name, deleted_at is not null as deleted, accounts.status, accounts.suspensions::text,
        (select count(*)::int from sessions where user_id = ${id}) as sessions,
        (select count(*)::int from keys where account_id = ${id} and keys.status = 'active') as keys
      from users join accounts on accounts.id = users.id where users.id = ${id}`
  )
  return row!
}

const deletedState = {
  email: '',
  name: '',
  deleted: true,
  status: 'suspended',
  suspensions: '{deleted}',
  sessions: 0,
  keys: 0
}

onDatabase('a user', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control

  await t.test('can change the name, here and at the identity provider; nothing else changes', async () => {
    const user = await control.signUp()
    const admin = adminOf(control)
    await admin.updateUserById(user.id, { user_metadata: { colour: 'green' } })
    const answer = await call('PATCH', '/api/auth/me', { cookie: user.cookie, body: { name: "Ada' <b>O</b>" } })
    assert.equal(answer.status, 200)
    const expected = { id: user.id, email: user.email, name: "Ada' <b>O</b>", plan: 'free' }
    assert.deepEqual(answer.body, { user: expected })
    assert.deepEqual((await call('GET', '/api/auth/me', { cookie: user.cookie })).body, { user: expected })
    const metadata = (await admin.getUserById(user.id)).data.user?.user_metadata
    assert.equal(metadata?.name, "Ada' <b>O</b>")
    assert.equal(metadata?.display_name, "Ada' <b>O</b>")
    assert.equal(metadata?.colour, 'green')
    for (const body of [{}, { name: '' }, { name: 'x', plan: 'pro' }, { name: 7 }, { name: 'x'.repeat(201) }]) {
      const refused = await call('PATCH', '/api/auth/me', { cookie: user.cookie, body })
      assert.equal(codeOf(refused), 'invalid_request', JSON.stringify(body))
    }
    assert.equal((await call('PATCH', '/api/auth/me', { body: { name: 'x' } })).status, 401)
  })

  await t.test('can be deleted with all keys, sessions, name and address', async () => {
    const name = `Name ${randomUUID()}`
    const user = await control.signUp({ plan: 'pro', name })
    const other = await control.signIn(user)
    const key = await createKey(control, user)
    assert.equal((await call('DELETE', '/api/auth/me')).status, 401)

    const answer = await call('DELETE', '/api/auth/me', { cookie: user.cookie })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { ok: true })
    assert.match(answer.cookies[0]!, /^svc_session=; Max-Age=0;/)
    for (const cookie of [user.cookie, other]) assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 401)
    assert.deepEqual(await stateOf(control, user.id), deletedState)
    assert.deepEqual(await tablesWith(control, user.email), [])
    assert.deepEqual(await tablesWith(control, name), [])
    assert.equal((await adminOf(control).getUserById(user.id)).error?.status, 404)
    const { email, password } = user
    assert.equal((await call('POST', '/api/auth/login', { body: { email, password } })).status, 401)

    const rows = await queryRows<{ action: string; subject: string | null; detail: unknown }>(
      control.database.orm,
      sql`select action, subject, detail from audit_log where account_id = ${user.id} order by id`
    )
    const deleted = rows.find(({ action }) => action === 'user.deleted')
    assert.deepEqual(deleted, { action: 'user.deleted', subject: user.id, detail: { keys: 1 } })
    assert.equal(rows.filter(({ action }) => action === 'account.suspended').length, 1)
    assert.notEqual(key, '')
  })

  await t.test('a person who registers a deleted user’s address becomes a new user', async () => {
    const user = await control.signUp()
    assert.equal((await call('DELETE', '/api/auth/me', { cookie: user.cookie })).status, 200)
    const { email, password } = user
    await call('POST', '/api/auth/register', { body: { email, password, name: 'Again' } })
    const answer = await control.confirm({ email, password })
    assert.equal(answer.status, 200)
    const { id } = (answer.body as { user: { id: string } }).user
    assert.notEqual(id, user.id)
    assert.deepEqual(await stateOf(control, user.id), deletedState)
  })

  await t.test('a deletion during a sign-in leaves no name and no session', async () => {
    const user = await control.signUp()
    const { email, password } = user
    await Promise.all([
      call('DELETE', '/api/auth/me', { cookie: user.cookie }),
      ...Array.from({ length: 4 }, () => call('POST', '/api/auth/login', { body: { email, password } }))
    ])
    assert.deepEqual(await stateOf(control, user.id), deletedState)
    assert.deepEqual(await tablesWith(control, email), [])
  })

  await t.test('several deletions at the same moment delete the user once', async () => {
    const user = await control.signUp({ plan: 'pro' })
    await createKey(control, user)
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => call('DELETE', '/api/auth/me', { cookie: user.cookie }))
    )
    assert(answers.some(({ status }) => status === 200))
    for (const { status } of answers) assert(status === 200 || status === 401, String(status))
    assert.deepEqual(await stateOf(control, user.id), deletedState)
  })

  await t.test('the owner of a team must remove its members first', async () => {
    const owner = await control.signUp({ plan: 'team' })
    const seat = await control.signUp()
    await control.database.orm.execute(
      sql`insert into members (user_id, account_id, joined_at) values (${seat.id}, ${owner.id}, now())`
    )
    const answer = await call('DELETE', '/api/auth/me', { cookie: owner.cookie })
    assert.equal(answer.status, 409)
    assert.equal(codeOf(answer), 'team_has_members')
    assert.equal((await call('GET', '/api/auth/me', { cookie: owner.cookie })).status, 200)
    assert.equal((await stateOf(control, owner.id)).status, 'active')

    assert.equal((await call('DELETE', '/api/auth/me', { cookie: seat.cookie })).status, 200)
    assert.equal((await call('DELETE', '/api/auth/me', { cookie: owner.cookie })).status, 200)
    assert.deepEqual(await stateOf(control, owner.id), deletedState)
  })
})

onDatabase('a deletion that fails half-way', async (t, newDatabase) => {
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  const control = await startControl({
    databaseUrl: await newDatabase(),
    identityUrl: proxy.url
  })
  t.after(() => control.close())
  proxy.target = control.identity.url
  const { call } = control

  await t.test('has revoked the keys, and completes when the user asks again', async () => {
    const user = await control.signUp({ plan: 'pro' })
    await createKey(control, user)
    proxy.before = (called) => (called.startsWith('DELETE') ? 'fail' : 'pass')
    const failed = await call('DELETE', '/api/auth/me', { cookie: user.cookie })
    assert.equal(failed.status, 503)
    assert.equal(codeOf(failed), 'identity_unavailable')
    const { deleted, status, keys, sessions } = await stateOf(control, user.id)
    assert.deepEqual({ deleted, status, keys, sessions }, { deleted: false, status: 'suspended', keys: 0, sessions: 2 })

    proxy.before = () => 'pass'
    assert.equal((await call('DELETE', '/api/auth/me', { cookie: user.cookie })).status, 200)
    assert.deepEqual(await stateOf(control, user.id), deletedState)
    const rows = await queryRows<Row>(
      control.database.orm,
      sql`select action from audit_log where account_id = ${user.id} and action = 'user.deleted'`
    )
    assert.equal(rows.length, 1)
  })

  await t.test('is completed by the comparison with the provider if nobody asks again', async () => {
    const user = await control.signUp()
    proxy.before = (called) => (called.startsWith('DELETE') ? 'fail' : 'pass')
    assert.equal((await call('DELETE', '/api/auth/me', { cookie: user.cookie })).status, 503)
    proxy.before = () => 'pass'
    control.passTime(day)
    await control.sweeper.look()
    assert.deepEqual(await stateOf(control, user.id), deletedState)
    assert.equal((await adminOf(control).getUserById(user.id)).error?.status, 404)
  })
})
