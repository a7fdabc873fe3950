import assert from 'node:assert/strict'
import { latestMail } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { test } from 'tap'
import { loadControlConfig } from '../config.ts'
import { codeOf } from '../testing/call-control.ts'
import { captchaSecret } from '../testing/control-options.ts'
import { startControl } from '../testing/start-control.ts'
import { checkCaptcha } from './sign-in-settings.ts'

const captcha = { provider: 'turnstile', siteKey: '1x00000000000000000000AA' } as const

test('with a CAPTCHA, strangers solve one for each attempt, and signed-in users none', async (t) => {
  const control = await startControl({ captcha, minResponseTimes: { refusedLoginMs: 0, registerMs: 1000 } })
  t.after(() => control.close())
  const { call } = control
  let solved = 0
  const solve = () => `${captchaSecret}.${++solved}`
  const post = (path: string, body: object) => call('POST', `/api/auth/${path}`, { body })
  const person = { email: 'ada@example.com', password: 'correct horse battery' }
  const forms: ReadonlyArray<readonly [path: string, body: object]> = [
    ['register', { ...person, name: 'Ada' }],
    ['login', person],
    ['forgot-password', { email: person.email }],
    ['resend-confirmation', { email: person.email }]
  ]

  await t.test('every form needs one that the provider accepts', async () => {
    const refused = forms.flatMap(([path, body]) => [
      post(path, body),
      post(path, { ...body, captcha_token: 'guessed' })
    ])
    for (const answer of await Promise.all(refused)) {
      assert.equal(answer.status, 403)
      assert.equal(codeOf(answer), 'captcha_failed')
    }
  })

  await t.test('each counts once', async () => {
    const token = solve()
    assert.equal((await post('register', { ...person, name: 'Ada', captcha_token: token })).status, 200)
    assert.equal(codeOf(await post('login', { ...person, captcha_token: token })), 'captcha_failed')
    assert.equal((await control.confirm(person)).status, 200, 'a mailed link needs none')
    const answer = await post('login', { ...person, captcha_token: solve() })
    assert.equal(answer.status, 200)
    assert.equal(
      codeOf(await post('login', { ...person, password: 'wrong', captcha_token: solve() })),
      'invalid_credentials'
    )
  })

  await t.test('a mail is sent with one', async () => {
    const before = await latestMail(control.identity.mailboxUrl, person.email)
    const answers = ['forgot-password', 'resend-confirmation'].map((path) =>
      post(path, { email: person.email, captcha_token: solve() })
    )
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200)
    await latestMail(control.identity.mailboxUrl, person.email, { newerThan: before })
  })

  await t.test('passwords of signed-in users are checked without', async () => {
    const { cookies } = await post('login', { ...person, captcha_token: solve() })
    const cookie = cookies.find((one) => one.startsWith('svc_session='))!.split(';')[0]!
    const own = (path: string, body: object) => call('POST', `/api/auth/${path}`, { cookie, body })
    assert.equal((await own('reauthenticate', { password: person.password })).status, 200)
    assert.equal(codeOf(await own('reauthenticate', { password: 'wrong' })), 'wrong_password')
    assert.equal((await own('second-factor', { password: person.password })).status, 200)
    const change = { current_password: person.password, password: 'another horse battery' }
    assert.equal((await own('change-password', change)).status, 200)
  })
})

test('a CAPTCHA needs its provider and its site key', async () => {
  const check = (provider: '' | 'hcaptcha', siteKey: string) =>
    checkCaptcha({ CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY: siteKey })
  assert.equal(check('', ''), null)
  assert.equal(check('hcaptcha', 'key'), null)
  assert.match(String(check('hcaptcha', '')), /^CAPTCHA_SITE_KEY: /)
  assert.match(String(check('', 'key')), /^CAPTCHA_PROVIDER: /)
  assert.throws(() => loadControlConfig({ CAPTCHA_PROVIDER: 'recaptcha' }), /CAPTCHA_PROVIDER/)
})
