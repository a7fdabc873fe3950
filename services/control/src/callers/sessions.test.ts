import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'

const day = 24 * 3600 * 1000
const tokenOf = (cookie: string) => cookie.split('=')[1]!

onDatabase('sessions', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const count = async (table: string, where = sql`true`) => {
    const rows = await queryRows<{ n: string }>(
      control.database.orm,
      sql`select count(*)::text as n from ${sql.identifier(table)} where ${where}`
    )
    return Number(rows[0]!.n)
  }

  await t.test('every sign-in opens its own session, and closes the session that the request presents', async () => {
    const user = await control.signUp()
    const second = await control.signIn(user)
    assert.notEqual(second, user.cookie)
    for (const cookie of [user.cookie, second])
      assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 200)

    const { email, password } = user
    const third = await call('POST', '/api/auth/login', { body: { email, password }, cookie: second })
    assert.equal(third.status, 200)
    assert.equal((await call('GET', '/api/auth/me', { cookie: second })).status, 401)
    assert.equal((await call('GET', '/api/auth/me', { cookie: user.cookie })).status, 200)
  })

  await t.test('the database has only the SHA-256 of a session id', async () => {
    const { cookie } = await control.signUp()
    const token = tokenOf(cookie)
    assert.equal(await count('sessions', sql`token_hash = ${hash('sha256', token, 'hex')}`), 1)
    const tables = await queryRows<{ name: string }>(
      control.database.orm,
      sql`select table_name as name from information_schema.tables where table_schema = 'public'`
    )
    assert(tables.length >= 7)
    for (const { name } of tables) {
      const rows = await queryRows(control.database.orm, sql`select * from ${sql.identifier(name)}`)
      assert.equal(JSON.stringify(rows).includes(token), false, name)
    }
  })

  await t.test('only a single issued cookie is a session', async () => {
    const { cookie } = await control.signUp()
    const token = tokenOf(cookie)
    const flipped = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
    for (const bad of [
      '',
      'svc_session',
      'svc_session=',
      `svc_session=${token.slice(0, -1)}`,
      `svc_session=${token}A`,
      `svc_session=${flipped}`,
      `svc_session="${token}"`,
      `svc_session=${hash('sha256', token, 'hex')}`,
      `svc_session=%00${token}`,
      "svc_session=' or 1=1 --",
      `svc_session=${'x'.repeat(4000)}`,
      `SVC_SESSION=${token}`,
      `other=${token}`,
      `${cookie}; ${cookie}`,
      `${cookie}; svc_session=${flipped}`,
      `svc_session=${flipped}; ${cookie}`,
      `${cookie};svc_session=`,
      `=; ;;${';'.repeat(100)}`
    ]) {
      const answer = await call('GET', '/api/auth/me', { cookie: bad })
      assert.equal(answer.status, 401, bad)
      assert.equal(codeOf(answer), 'not_authenticated', bad)
    }
    assert.equal((await call('GET', '/api/auth/me', { cookie: `a=b; ${cookie}; c=d` })).status, 200)
  })

  await t.test('a session ends after seven days without use, and always after thirty days', async () => {
    const idle = await control.signUp()
    const used = await control.signUp()
    const isSignedIn = async (cookie: string) => (await call('GET', '/api/auth/me', { cookie })).status === 200
    for (let days = 6; days < 30; days += 6) {
      control.passTime(6 * day)
      assert.equal(await isSignedIn(used.cookie), true, `day ${days}`)
      if (days >= 12) assert.equal(await isSignedIn(idle.cookie), false, `day ${days}`)
    }
    control.passTime(6 * day - 60_000)
    assert.equal(await isSignedIn(used.cookie), true)
    control.passTime(60_000)
    assert.equal(await isSignedIn(used.cookie), false)
    assert(await isSignedIn(await control.signIn(used)))
  })

  await t.test('a use within a minute of the last writes nothing', async () => {
    const { cookie } = await control.signUp()
    const end = async () =>
      (
        await queryRows<{ idle_ends_at: unknown }>(
          control.database.orm,
          sql`select idle_ends_at::text from sessions where token_hash = ${hash('sha256', tokenOf(cookie), 'hex')}`
        )
      )[0]!.idle_ends_at
    const first = await end()
    await call('GET', '/api/auth/me', { cookie })
    assert.equal(await end(), first)
    control.passTime(61_000)
    await call('GET', '/api/auth/me', { cookie })
    assert.notEqual(await end(), first)
  })

  await t.test('signing in removes ended sessions', async () => {
    const user = await control.signUp()
    control.passTime(31 * day)
    const over = () => count('sessions', sql`user_id <> ${user.id}`)
    assert((await over()) > 0)
    for (let logins = 0; logins < 5; logins++) await control.signIn(user)
    assert.equal(await over(), 0)
    assert.equal(await count('sessions'), 5)
  })
})
