import assert from 'node:assert/strict'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { eq } from 'drizzle-orm'
import { test } from 'tap'
import { mails } from '../database/schema/mails.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import { startControl } from '../testing/start-control.ts'

const max = 4
const browserIn = ({ cookies }: Answer) => cookies.find((cookie) => cookie.startsWith('svc_browser='))!.split(';')[0]!

test('wrong passwords of a day', async (t) => {
  const control = await startControl({ limits: { wrongGuessesPerDay: max } })
  t.after(() => control.close())
  const { call } = control
  const login = (email: string, password: string, cookie = '') =>
    call('POST', '/api/auth/login', { cookie, body: { email, password } })
  const outcome = async (answer: Promise<Answer>) => ((await answer).status === 200 ? '200' : codeOf(await answer))
  /** What the user is mailed about, apart from new browsers. */
  const mailed = async (userId: string) =>
    (await control.database.orm.select().from(mails).where(eq(mails.accountId, userId)))
      .flatMap(({ notices }) => notices.map(({ type }) => type))
      .filter((type) => type !== 'sign_in.new_browser')

  async function guess(times: number, email: string): Promise<void> {
    for (let time = 0; time < times; time++) {
      assert.equal(await outcome(login(email.toUpperCase(), `wrong ${time}`)), 'invalid_credentials')
    }
  }

  await t.test(
    'strangers are refused after the limit; the owner gets one mail, and their browser still works',
    async () => {
      const user = await control.signUp()
      const browser = browserIn(await login(user.email, user.password))
      await guess(max - 1, user.email)
      assert.equal(await outcome(login(user.email, user.password)), '200', 'a right password does not count')
      assert.deepEqual(await mailed(user.id), [])
      await guess(1, user.email)
      const refused = await login(user.email, user.password)
      assert.deepEqual([refused.status, codeOf(refused)], [429, 'too_many_requests'])
      assert.ok(Number(refused.headers['retry-after']) > 80_000, 'for a day')
      assert.equal(await outcome(login(user.email, 'wrong')), 'too_many_requests')
      assert.deepEqual(await mailed(user.id), ['sign_in.guessed'])
      assert.equal(await outcome(login(user.email, user.password, browser)), '200')
    }
  )

  await t.test('an unknown address is refused in the same way', async () => {
    await guess(max, 'nobody@example.com')
    assert.equal(await outcome(login('nobody@example.com', 'wrong')), 'too_many_requests')
  })

  await t.test('a mailed link lets the owner in from any browser', async () => {
    const user = await control.signUp()
    await guess(max, user.email)
    const newerThan = await latestMail(control.identity.mailboxUrl, user.email)
    await call('POST', '/api/auth/forgot-password', { body: { email: user.email } })
    const link = linkIn(await latestMail(control.identity.mailboxUrl, user.email, { newerThan }))
    const body = { token_hash: link.searchParams.get('token_hash')!, password: 'another battery staple' }
    assert.equal((await call('POST', '/api/auth/reset-password', { body })).status, 200)
    assert.equal(await outcome(login(user.email, body.password)), '200')
  })

  await t.test('a stolen session guesses no longer than a stranger, and does not lock the owner out', async () => {
    const user = await control.signUp()
    const { cookie } = user
    const confirm = (password: string) => call('POST', '/api/auth/reauthenticate', { cookie, body: { password } })
    const change = (password: string) =>
      call('POST', '/api/auth/change-password', {
        cookie,
        body: { current_password: password, password: 'a new one 1!' }
      })
    for (let time = 0; time < max / 2; time++) {
      assert.equal(await outcome(confirm('wrong')), 'wrong_password')
      assert.equal(await outcome(change('wrong')), 'wrong_password')
    }
    assert.equal(await outcome(confirm(user.password)), 'too_many_requests')
    assert.equal(await outcome(change(user.password)), 'too_many_requests')
    assert.deepEqual(await mailed(user.id), ['sign_in.guessed'])
    assert.equal(await outcome(login(user.email, user.password)), '200')
  })
})

test('a sign-in with a new browser is mailed; the first one, a known browser and a mailed link are not', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const { call } = control
  const user = await control.signUp()
  const login = async (cookie: string) => {
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    const { email, password } = user
    return browserIn(await call('POST', '/api/auth/login', { cookie, headers, body: { email, password } }))
  }
  const told = async () =>
    (await control.database.orm.select().from(mails).where(eq(mails.accountId, user.id)))
      .flatMap(({ notices }) => notices)
      .map(({ type, data }) => ({ type, data }))
  assert.deepEqual(await told(), [], 'the confirmation of the address')
  const browser = await login('')
  const notice = { type: 'sign_in.new_browser', data: { browser: 'Firefox on Linux', ip: '127.0.0.1' } }
  assert.deepEqual(await told(), [notice])
  assert.equal(await login(browser), browser)
  assert.deepEqual(await told(), [notice])
  assert.notEqual(await login('svc_browser=invented'), browser)
  assert.deepEqual(await told(), [notice, notice])
})
