import assert from 'node:assert/strict'
import { hash, randomUUID } from 'node:crypto'
import type { Session } from '@tollgate/contracts/http/auth.ts'
import { sql } from 'drizzle-orm'
import { sessionCookie } from '../callers/session-cookie.ts'
import { queryRows } from '../database/connect.ts'
import { codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import type { TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

const day = 24 * 3600 * 1000
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Safari/604.1'

onDatabase('own sessions', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control

  async function list(cookie: string): Promise<Session[]> {
    const answer = await call('GET', '/api/auth/sessions', { cookie })
    assert.equal(answer.status, 200)
    return (answer.body as { sessions: Session[] }).sessions
  }
  const end = (id: string, cookie: string) => call('DELETE', `/api/auth/sessions/${id}`, { cookie })
  const isSignedIn = async (cookie: string) => (await call('GET', '/api/auth/me', { cookie })).status === 200

  async function signInWith({ email, password }: TestUser, userAgent: string): Promise<string> {
    const headers = { 'user-agent': userAgent }
    const { cookies } = await call('POST', '/api/auth/login', { body: { email, password }, headers })
    return cookies.find((cookie) => cookie.startsWith(`${sessionCookie}=`))!.split(';')[0]!
  }

  await t.test('a user sees where they are signed in, but no secret of a session', async () => {
    const user = await control.signUp()
    control.passTime(3 * day)
    const signedInAt = control.now()
    const cookie = await signInWith(user, firefox)
    const phone = await signInWith(user, `${safari} <script>\u202e${'x'.repeat(2000)}`)
    const sessions = await list(cookie)
    assert.deepEqual(
      sessions.map(({ browser, current }) => [browser, current]),
      [
        ['Firefox on Linux', true],
        ['Safari on iPhone', false],
        // The test signed up with another user agent.
        [null, false]
      ]
    )
    const [own, , first] = sessions
    assert.ok(Date.parse(own!.created_at) >= signedInAt.getTime())
    assert.ok(Date.parse(first!.last_used_at) <= signedInAt.getTime() - 3 * day + 60_000)
    assert.equal(Date.parse(own!.ends_at), Date.parse(own!.last_used_at) + 7 * day)
    const text = JSON.stringify(sessions)
    for (const one of [cookie, phone, user.cookie]) {
      const token = one.split('=')[1]!
      assert.equal(text.includes(token) || text.includes(hash('sha256', token, 'hex')), false)
    }
    const members = ['browser', 'created_at', 'current', 'ends_at', 'id', 'last_used_at']
    for (const session of sessions) {
      assert.deepEqual(Object.keys(session).sort(), members)
      assert.equal(await isSignedIn(`${sessionCookie}=${session.id}`), false)
    }
  })

  await t.test('the last use is exact to the minute, also in the last week of a session', async () => {
    const { cookie } = await control.signUp()
    for (const days of [5, 5, 5, 5, 5, 2, 2]) {
      control.passTime(days * day)
      const [own] = await list(cookie)
      assert.ok(control.now().getTime() - Date.parse(own!.last_used_at) < 60_000)
    }
    const [own] = await list(cookie)
    assert.equal(Date.parse(own!.ends_at), Date.parse(own!.created_at) + 30 * day)
  })

  await t.test('an ended session is refused, and the others continue', async () => {
    const user = await control.signUp()
    const [phone, third] = [await signInWith(user, safari), await signInWith(user, firefox)]
    const { id } = (await list(user.cookie)).find(({ browser }) => browser === 'Safari on iPhone')!
    const answer = await end(id.toUpperCase(), user.cookie)
    assert.deepEqual([answer.status, answer.body, answer.cookies], [200, { ok: true }, []])
    assert.equal(await isSignedIn(phone), false)
    assert.equal(await isSignedIn(user.cookie), true)
    assert.equal(await isSignedIn(third), true)
    assert.equal(codeOf(await end(id, user.cookie)), 'not_found')
    const rows = await queryRows(
      control.database.orm,
      sql`select action, subject, detail, actor_id from audit_log where account_id = ${user.id} order by id desc limit 1`
    )
    assert.deepEqual(rows, [
      { action: 'auth.session_ended', subject: id, detail: { browser: 'Safari on iPhone' }, actor_id: user.id }
    ])
  })

  await t.test('ending the current session signs the user out', async () => {
    const { cookie } = await control.signUp()
    const [own] = await list(cookie)
    const answer = await end(own!.id, cookie)
    assert.equal(answer.status, 200)
    assert.match(answer.cookies[0]!, /^svc_session=; /)
    assert.equal(await isSignedIn(cookie), false)
  })

  await t.test('nobody sees or ends another user’s sessions, not even the owner of their team', async () => {
    const owner = await control.signUp({ plan: 'enterprise' })
    const seat = await control.signUp()
    const stranger = await control.signUp()
    const invited = await call('POST', '/api/team/seats', { cookie: owner.cookie, body: { email: seat.email } })
    const { link } = (invited.body as { invitation: { link: string } }).invitation
    const path = `/api/team/invitations/${new URL(link).pathname.split('/').at(-1)}/accept`
    assert.equal((await call('POST', path, { cookie: seat.cookie })).status, 200)
    const [ofSeat] = await list(seat.cookie)
    for (const { cookie } of [owner, stranger]) {
      assert.equal(
        (await list(cookie)).some(({ id }) => id === ofSeat!.id),
        false
      )
      assert.equal(codeOf(await end(ofSeat!.id, cookie)), 'not_found')
    }
    const key = await call('POST', '/api/keys', { cookie: owner.cookie, body: { label: 'm', scope: 'management' } })
    const authorization = `Bearer ${(key.body as { key: { value: string } }).key.value}`
    const byKey = await call('GET', '/api/auth/sessions', { headers: { authorization } })
    assert.equal(codeOf(byKey), 'not_authenticated')
    assert.equal(await isSignedIn(seat.cookie), true)
    const own = await signInWith(seat, firefox)
    assert.equal((await end(ofSeat!.id, own)).status, 200)
    assert.equal(await isSignedIn(seat.cookie), false)
  })

  await t.test('an id that is not a session of the user is not found', async () => {
    const { cookie } = await control.signUp()
    const token = cookie.split('=')[1]!
    for (const id of [randomUUID(), 'x', token, hash('sha256', token, 'hex'), `${randomUUID()}'`]) {
      const answer = await end(id, cookie)
      assert.deepEqual([answer.status, codeOf(answer)], [404, 'not_found'], id)
    }
    assert.equal(await isSignedIn(cookie), true)
  })

  await t.test('a list has at most a hundred sessions, the current one first', async () => {
    const user = await control.signUp()
    control.passTime(1000)
    await queryRows(
      control.database.orm,
      sql`insert into sessions (token_hash, user_id, created_at, last_used_at, idle_ends_at, ends_at)
        select 'x' || n, ${user.id}::uuid, at, at + interval '1 hour', at + interval '7 days', at + interval '30 days'
        from (select ${control.now().toISOString()}::timestamptz as at) one, generate_series(1, 120) n`
    )
    const sessions = await list(user.cookie)
    assert.equal(sessions.length, 100)
    assert.deepEqual(sessions.map(({ current }) => current).indexOf(true), 0)
  })
})
