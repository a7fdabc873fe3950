import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import type { Answer } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import type { TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'
import { browserCookie, browserCookieAttributes } from './known-browser.ts'
import { hashSessionToken } from './session-cookie.ts'

const browserIn = ({ cookies }: Answer) => cookies.find((cookie) => cookie.startsWith('svc_browser='))!.split(';')[0]!

test('over https, other hosts and http pages cannot set the cookie', async () => {
  assert.equal(browserCookie('http://localhost:3000'), 'svc_browser')
  assert.equal(browserCookie('https://app.example.com'), '__Host-svc_browser')
  // The prefix requires these attributes (RFC 6265bis, section 4.1.3.2).
  const { secure, path, domain } = browserCookieAttributes('https://app.example.com')
  assert.deepEqual([secure, path, domain], [true, '/', undefined])
})

test('over https, only that cookie identifies a known browser', async (t) => {
  const limits = { login: 2 }
  const control = await startControl({ publicUrl: 'https://app.example.com', trustProxy: true, limits })
  t.after(() => control.close())
  const { email, password } = await control.signUp()
  let clients = 0
  const signIn = (cookie = '') => {
    const headers = { 'x-forwarded-for': `192.0.2.${++clients}` }
    return control.call('POST', '/api/auth/login', { body: { email, password }, cookie, headers })
  }
  const { cookies } = await signIn()
  const set = cookies.find((cookie) => cookie.startsWith('__Host-svc_browser='))!
  assert.match(set, /; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const browser = set.split(';')[0]!
  assert.equal((await signIn()).status, 200)
  assert.equal((await signIn()).status, 429)
  assert.equal((await signIn(browser.replace('__Host-', ''))).status, 429)
  assert.equal((await signIn(browser)).status, 200)
})

onDatabase('known browsers', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const signIn = ({ email, password }: TestUser, cookie = '') =>
    control.call('POST', '/api/auth/login', { body: { email, password }, cookie })
  const readBrowsers = () =>
    queryRows<{ token_hash: string; user_id: string }>(control.database.orm, sql`select * from known_browsers`)

  const usersOf = async (browser: string) => {
    const hash = hashSessionToken(browser.split('=')[1]!)
    return (await readBrowsers()).filter(({ token_hash: stored }) => stored === hash)
  }

  await t.test(
    'a browser keeps its token for one user, another user gets a new one, and the database has only its hash',
    async () => {
      const [ada, grace] = [await control.signUp(), await control.signUp()]
      const browser = browserIn(await signIn(ada))
      assert.equal(browserIn(await signIn(ada, browser)), browser)
      assert.notEqual(browserIn(await signIn(grace, browser)), browser, 'ada knows the token and may have planted it')
      assert.deepEqual(new Set((await usersOf(browser)).map(({ user_id: id }) => id)), new Set([ada.id]))
      assert.equal(JSON.stringify(await readBrowsers()).includes(browser.split('=')[1]!), false)
      // An attacker may know a token that control did not issue.
      assert.notEqual(browserIn(await signIn(ada, `svc_browser=${'A'.repeat(43)}`)), `svc_browser=${'A'.repeat(43)}`)
    }
  )

  await t.test('control knows the twenty most recent browsers of each user', async () => {
    const user = await control.signUp()
    const first = browserIn(await signIn(user))
    for (let n = 0; n < 20; n++) {
      control.passTime(1000)
      await signIn(user)
    }
    assert.equal((await readBrowsers()).filter(({ user_id: id }) => id === user.id).length, 20)
    assert.notEqual(browserIn(await signIn(user, first)), first)
  })

  await t.test('deleting a user deletes their known browsers', async () => {
    const user = await control.signUp()
    assert.equal((await control.call('DELETE', '/api/auth/me', { cookie: user.cookie })).status, 200)
    assert.equal(
      (await readBrowsers()).some(({ user_id: id }) => id === user.id),
      false
    )
  })
})
