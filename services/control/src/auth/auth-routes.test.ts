import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'

const credentials = { email: 'grace@example.com', password: 'correct horse battery' }

const userOf = (answer: Answer) => (answer.body as { user: Record<string, string> }).user
const tokenOf = (cookie: string) => cookie.split('=')[1]!

onDatabase('auth', async (t, newDatabase) => {
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

  await t.test('registration opens no session, and the user must confirm before signing in', async () => {
    const registered = await call('POST', '/api/auth/register', { body: { ...credentials, name: 'Grace' } })
    assert.equal(registered.status, 200)
    assert.deepEqual(registered.body, { ok: true })
    assert.deepEqual(registered.cookies, [])
    const early = await call('POST', '/api/auth/login', { body: credentials })
    assert.equal(early.status, 403)
    assert.equal(codeOf(early), 'email_not_confirmed')
    assert.deepEqual(early.cookies, [])
  })

  await t.test('opening the confirmation link changes nothing; confirming with the password signs in', async () => {
    const link = await control.confirmationLink(credentials.email)
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET'] as const) {
      const opened = await call(method, link)
      assert.equal(opened.status, 303)
      assert.match(String(opened.headers.location), /^\/confirm#token_hash=[0-9a-f]{56}&type=email$/)
      assert.deepEqual(opened.cookies, [])
    }
    assert.equal(codeOf(await call('POST', '/api/auth/login', { body: credentials })), 'email_not_confirmed')
    const confirmed = await control.confirm(credentials)
    assert.equal(confirmed.status, 200)
    assert.equal(userOf(confirmed).email, credentials.email)
    assert.match(confirmed.cookies[0]!, /^svc_session=/)
    assert.equal(codeOf(await control.confirm(credentials)), 'link_invalid')
  })

  await t.test('an incomplete or unknown link redirects to a page that says so', async () => {
    for (const query of [
      `token_hash=${'0'.repeat(56)}&type=email_change`,
      'type=recovery',
      'token_hash=&type=invite',
      `token_hash=${'0'.repeat(56)}`,
      'type=email',
      'token_hash=&type=email',
      ''
    ]) {
      const answer = await call('GET', `/api/auth/confirm?${query}`)
      assert.equal(answer.status, 303, query)
      assert.equal(answer.headers.location, '/login?error=link_invalid', query)
    }
    for (const query of ['token_hash=a&token_hash=b&type=email', 'token_hash=%00&type=email']) {
      assert.equal((await call('GET', `/api/auth/confirm?${query}`)).status, 400, query)
    }
  })

  await t.test('a link redirects to its page unused, with its token in the fragment', async () => {
    for (const [type, page] of [
      ['signup', '/confirm'],
      ['email', '/confirm'],
      ['recovery', '/reset-password'],
      ['invite', '/accept-invitation']
    ]) {
      const answer = await call('GET', `/api/auth/confirm?token_hash=a%0d%0a%23b&type=${type}`)
      assert.equal(answer.status, 303)
      assert.equal(answer.headers.location, `${page}#token_hash=a%0D%0A%23b&type=${type}`)
    }
  })

  await t.test('a password opens a session, which identifies the user until they sign out', async () => {
    const login = await call('POST', '/api/auth/login', { body: credentials })
    assert.equal(login.status, 200)
    const { id, ...rest } = userOf(login)
    assert.deepEqual(rest, { email: credentials.email, name: 'Grace', plan: 'free' })
    assert.match(id!, /^[0-9a-f-]{36}$/)
    assert.equal(login.cookies.length, 2)
    assert.match(
      login.cookies[1]!,
      /^svc_browser=[A-Za-z0-9_-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/
    )
    assert.match(login.cookies[0]!, /^svc_session=[A-Za-z0-9_-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
    const cookie = login.cookies[0]!.split(';')[0]!

    const me = await call('GET', '/api/auth/me', { cookie })
    assert.equal(me.status, 200)
    assert.deepEqual(me.body, login.body)

    const signout = await call('POST', '/api/auth/signout', { cookie })
    assert.equal(signout.status, 200)
    assert.deepEqual(signout.body, { ok: true })
    assert.match(signout.cookies[0]!, /^svc_session=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970/)

    const after = await call('GET', '/api/auth/me', { cookie })
    assert.equal(after.status, 401)
    assert.equal(codeOf(after), 'not_authenticated')
  })

  await t.test('the first sign-in creates the personal account; later sign-ins do not change it', async () => {
    const accounts = () =>
      queryRows<{ id: string; owner_id: string; plan: string; version: string }>(
        control.database.orm,
        sql`select a.id, a.owner_id, a.plan, a.version::text from accounts a join users u on u.id = a.id
            where u.email = ${credentials.email}`
      )
    const before = await accounts()
    assert.equal(before.length, 1)
    assert.equal(before[0]!.owner_id, before[0]!.id)
    assert.equal(before[0]!.plan, 'free')
    await control.signIn(credentials)
    assert.deepEqual(await accounts(), before)
  })

  await t.test('a wrong password and an unknown address get the same answer', async () => {
    const wrong = await call('POST', '/api/auth/login', { body: { ...credentials, password: 'wrong' } })
    const unknown = await call('POST', '/api/auth/login', { body: { email: 'nobody@example.com', password: 'wrong' } })
    const tooLong = await call('POST', '/api/auth/login', { body: { ...credentials, password: 'x'.repeat(1000) } })
    const noAddress = await call('POST', '/api/auth/login', { body: { email: 'nobody', password: 'wrong' } })
    for (const answer of [wrong, unknown, tooLong, noAddress]) {
      assert.equal(answer.status, 401)
      assert.equal(codeOf(answer), 'invalid_credentials')
      assert.deepEqual(answer.body, wrong.body)
      assert.deepEqual(answer.cookies, [])
    }
  })

  await t.test('registering a known address again gets the same answer and changes nothing', async () => {
    const again = await call('POST', '/api/auth/register', {
      body: { email: credentials.email, password: 'another password', name: 'Mallory' }
    })
    assert.equal(again.status, 200)
    assert.deepEqual(again.body, { ok: true })
    assert.equal(
      (await call('POST', '/api/auth/login', { body: { ...credentials, password: 'another password' } })).status,
      401
    )
    assert.equal(userOf(await call('POST', '/api/auth/login', { body: credentials })).name, 'Grace')

    // Not confirmed yet: the provider sends no second mail so soon, and the answer must not show that.
    const unconfirmed = { email: 'twice@example.com', password: credentials.password, name: 'Twice' }
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = await call('POST', '/api/auth/register', { body: unconfirmed })
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { ok: true })
    }
  })

  await t.test('registration says what is wrong with address or password', async () => {
    const body = { email: 'new@example.com', password: credentials.password, name: 'New' }
    const weak = await call('POST', '/api/auth/register', { body: { ...body, password: 'a' } })
    assert.equal(weak.status, 400)
    assert.equal(codeOf(weak), 'weak_password')
    const long = await call('POST', '/api/auth/register', { body: { ...body, password: 'ä'.repeat(37) } })
    assert.equal(codeOf(long), 'weak_password')
    for (const email of ['no-at-sign', 'two@@signs.example', 'a b@example.com', '@example.com', 'a@']) {
      const answer = await call('POST', '/api/auth/register', { body: { ...body, email } })
      assert.equal(answer.status, 400, email)
      assert.equal(codeOf(answer), 'invalid_email', email)
    }
  })

  await t.test('signing out without a session, or with an empty JSON body, succeeds', async () => {
    assert.deepEqual((await call('POST', '/api/auth/signout')).body, { ok: true })
    const { cookie } = await control.signUp()
    const headers = { 'content-type': 'application/json' }
    assert.deepEqual((await call('POST', '/api/auth/signout', { cookie, headers })).body, { ok: true })
    assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 401)
    assert.deepEqual((await call('POST', '/api/auth/signout', { cookie, body: {} })).body, { ok: true })
    // Somebody set a second cookie: control closes both sessions.
    const user = await control.signUp()
    const other = await control.signIn(user)
    await call('POST', '/api/auth/signout', { cookie: `${user.cookie}; ${other}` })
    for (const closed of [user.cookie, other]) {
      assert.equal((await call('GET', '/api/auth/me', { cookie: closed })).status, 401)
    }
  })

  await t.test('an operator’s plan applies from the next sign-in, and gives the account a new version', async () => {
    const user = await control.signUp()
    const account = async () =>
      (
        await queryRows<{ plan: string; version: string }>(
          control.database.orm,
          sql`select plan, version::text from accounts where id = ${user.id}`
        )
      )[0]!
    const first = await account()
    await control.setPlan(user.id, 'enterprise')
    const cookie = await control.signIn(user)
    assert.equal(userOf(await call('GET', '/api/auth/me', { cookie })).plan, 'enterprise')
    const second = await account()
    assert.equal(second.plan, 'enterprise')
    assert(Number(second.version) > Number(first.version))

    await control.setPlan(user.id, null)
    await control.signIn(user)
    assert.equal((await account()).plan, 'free')
  })

  await t.test('a plan outside the catalog counts as free, and is logged as an error', async () => {
    const user = await control.signUp()
    for (const plan of ['platinum', '__proto__', 'constructor', { id: 'pro' }, 7]) {
      await control.setPlan(user.id, plan)
      const before = control.logged.length
      const cookie = await control.signIn(user)
      assert.equal(userOf(await call('GET', '/api/auth/me', { cookie })).plan, 'free')
      const errors = control.logged.slice(before).filter((line) => line.includes('"level":50'))
      assert.equal(errors.length, 1)
      assert.match(errors[0]!, /app_metadata\.plan is not in the catalog/)
    }
    await control.setPlan(user.id, 'enterprice')
    await control.signIn(user)
    assert.ok(control.logged.some((line) => line.includes('Did you mean enterprise?')))
    await control.setPlan(user.id, 'pro')
    const cookie = await control.signIn(user)
    assert.equal(userOf(await call('GET', '/api/auth/me', { cookie })).plan, 'pro')
  })

  await t.test('first sign-ins at the same moment create one user and one account', async () => {
    const email = 'crowd@example.com'
    await control.createByOperator({ email, password: credentials.password })
    const logins = await Promise.all(
      Array.from({ length: 12 }, () =>
        call('POST', '/api/auth/login', { body: { email, password: credentials.password } })
      )
    )
    assert.deepEqual(new Set(logins.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(logins.map((answer) => userOf(answer).id)).size, 1)
    assert.equal(new Set(logins.map(({ cookies }) => cookies[0])).size, 12)
    const [login] = logins
    assert.equal(await count('accounts', sql`id = ${userOf(login!).id}`), 1)
  })

  await t.test('the log contains no password, session id or link token', async () => {
    const user = await control.signUp({ plan: 'pro' })
    await call('POST', '/api/auth/login', { body: { ...user, extra: 1 } })
    for (const path of ['/api/auth/me', '/no-such-path', '/api/auth/%zz', '/login']) {
      await call('GET', `${path}?password=hunter2`, { cookie: user.cookie })
    }
    const log = control.logged.join('')
    const links = await control.confirmationLink(user.email)
    for (const secret of [
      credentials.password,
      'another password',
      'hunter2',
      tokenOf(user.cookie),
      new URL(links, 'http://localhost').searchParams.get('token_hash')!
    ]) {
      assert.equal(log.includes(secret), false, secret)
    }
    assert(control.logged.length > 100)
  })
})
