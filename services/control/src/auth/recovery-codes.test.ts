import assert from 'node:assert/strict'
import { totpCode } from '@tollgate/sandbox/identity/totp.ts'
import { mails } from '../database/schema/mails.ts'
import { recoveryCodes } from '../database/schema/users.ts'
import { type Answer, codeOf, expectStatus } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import type { TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

let passedMs = 0
const identityNow = () => Date.now() + passedMs
const sessionIn = ({ cookies }: Answer) =>
  cookies.find((cookie) => cookie.startsWith('svc_session='))?.split(';')[0] ?? ''

onDatabase('recovery codes', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), identityNow })
  t.after(() => control.close())
  const { call, database } = control

  const factorOf = async (cookie: string) => (await call('GET', '/api/auth/second-factor', { cookie })).body
  const login = ({ email, password }: TestUser, code: string) =>
    call('POST', '/api/auth/login', { body: { email, password, code } })
  async function protect() {
    const user = await control.signUp()
    const { password, cookie } = user
    const started = await call('POST', '/api/auth/second-factor', { cookie, body: { password } })
    const { secret } = started.body as { secret: string }
    const newCode = () => {
      passedMs += 30_000
      return totpCode(secret, identityNow())
    }
    const body = { password, code: newCode() }
    const on = await expectStatus(call('POST', '/api/auth/second-factor/confirm', { cookie, body }), 200)
    user.cookie = sessionIn(on)
    return { user, newCode, codes: (on.body as { recovery_codes: string[] }).recovery_codes }
  }

  await t.test('ten are shown at the set-up, and stored only as hashes', async () => {
    const { user, codes } = await protect()
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
    assert.deepEqual(await factorOf(user.cookie), { enabled: true, recovery_codes_left: 10, recovered: false })
    const stored = JSON.stringify(await database.orm.select().from(recoveryCodes))
    for (const code of codes) assert.ok(!stored.includes(code))
    const exported = JSON.stringify((await call('GET', '/api/account/export', { cookie: user.cookie })).body)
    assert.match(exported, /"recovery_codes":\[\{"created":/)
    for (const code of codes) assert.ok(!exported.includes(code))
    assert.ok(!control.logged.join().includes(codes[0]!))
  })

  await t.test('one signs in once, is audited, and mailed', async () => {
    const { user, codes } = await protect()
    const first = await expectStatus(login(user, codes[0]!), 200)
    assert.deepEqual(await factorOf(sessionIn(first)), { enabled: true, recovery_codes_left: 9, recovered: true })
    assert.equal(codeOf(await login(user, codes[0]!)), 'invalid_code')
    assert.equal(codeOf(await login(user, 'aaaa-bbbb-cccc-dddd')), 'invalid_code')
    assert.equal((await login(user, 'AAAA')).status, 400)
    assert.equal(codeOf(await login(user, codes[0]!.replaceAll('-', ''))), 'invalid_code', 'used in another form')
    const other = await protect()
    assert.equal(codeOf(await login(other.user, codes[1]!)), 'invalid_code', 'a code of another user')
    const audit = (await call('GET', '/api/audit', { cookie: user.cookie })).body as { entries: { action: string }[] }
    assert.equal(audit.entries.filter(({ action }) => action === 'auth.recovery_code_used').length, 1)
    const queued = (await database.orm.select().from(mails)).filter(({ accountId }) => accountId === user.id)
    const notices = queued.flatMap(({ notices }) => notices.map(({ type, data }) => ({ type, data })))
    assert.deepEqual(
      notices.filter(({ type }) => type === 'recovery_code.used'),
      [{ type: 'recovery_code.used', data: { left: 9 } }]
    )
  })

  await t.test('one works as people type it: in capitals, with spaces, and without marks', async () => {
    const { user, codes } = await protect()
    for (const typed of [codes[0]!.toUpperCase(), codes[1]!.replaceAll('-', ' '), codes[2]!.replaceAll('-', '')])
      assert.equal((await login(user, typed)).status, 200, typed)
    assert.equal((await login(user, `${codes[3]!}a`)).status, 400)
  })

  await t.test('sign-ins at the same time share no code', async () => {
    const { user, codes } = await protect()
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => login(user, codes[0]!)))
    assert.deepEqual(all.map(({ status }) => status).toSorted(), [200, 401, 401, 401, 401])
    assert.partialDeepStrictEqual(await factorOf(user.cookie), { recovery_codes_left: 9 })
  })

  await t.test('a wrong password uses no code up', async () => {
    const { user, codes } = await protect()
    assert.equal(codeOf(await login({ ...user, password: 'wrong password' }, codes[0]!)), 'invalid_credentials')
    assert.equal((await login(user, codes[0]!)).status, 200)
  })

  await t.test('a session that began with one turns the second factor off without a code, for an hour', async () => {
    const { user, codes, newCode } = await protect()
    const { password } = user
    const remove = (cookie: string, more = {}) =>
      call('DELETE', '/api/auth/second-factor', { cookie, body: { password, ...more } })
    assert.equal(codeOf(await remove(user.cookie)), 'second_factor_required', 'a usual session')
    const late = sessionIn(await login(user, codes[0]!))
    control.passTime(3_600_001)
    assert.equal(codeOf(await remove(late)), 'second_factor_required')
    const cookie = sessionIn(await login(user, codes[1]!))
    const wrong = await call('DELETE', '/api/auth/second-factor', { cookie, body: { password: 'wrong' } })
    assert.equal(codeOf(wrong), 'wrong_password')
    const off = await expectStatus(remove(cookie), 200)
    assert.deepEqual(await factorOf(sessionIn(off)), { enabled: false, recovery_codes_left: 0, recovered: false })
    assert.equal((await call('GET', '/api/auth/me', { cookie: late })).status, 401, 'other sessions ended')
    assert.equal((await login(user, newCode())).status, 200)
  })

  await t.test('another one also turns it off', async () => {
    const { user, codes } = await protect()
    const body = { password: user.password, code: codes[0]! }
    assert.equal((await call('DELETE', '/api/auth/second-factor', { cookie: user.cookie, body })).status, 200)
  })

  await t.test('new ones need password and code, and replace the old', async () => {
    const { user, codes, newCode } = await protect()
    const { cookie, password } = user
    const make = (body: object, from = cookie) =>
      call('POST', '/api/auth/second-factor/recovery-codes', { cookie: from, body })
    assert.equal(codeOf(await make({ password: 'wrong', code: newCode() })), 'wrong_password')
    assert.equal(codeOf(await make({ password, code: '000000' })), 'invalid_code')
    const [byCode, byOld] = await Promise.all([
      make({ password, code: newCode() }),
      make({ password, code: codes[0]! })
    ])
    assert.equal(byCode.status, 200)
    assert.ok([200, 401].includes(byOld.status), 'the first may have replaced the old one')
    assert.partialDeepStrictEqual(await factorOf(cookie), { recovery_codes_left: 10 })
    assert.equal(codeOf(await login(user, codes[1]!)), 'invalid_code')
    const plain = await control.signUp()
    const none = await make({ password: plain.password, code: '000000' }, plain.cookie)
    assert.equal(codeOf(none), 'no_second_factor')
  })

  await t.test('are gone once the user is deleted', async () => {
    const { user } = await protect()
    assert.equal((await call('DELETE', '/api/auth/me', { cookie: user.cookie })).status, 200)
    const left = (await database.orm.select().from(recoveryCodes)).filter(({ userId }) => userId === user.id)
    assert.deepEqual(left, [])
  })
})

onDatabase('attempts with recovery codes', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), identityNow, limits: { codesPerHour: 3 } })
  t.after(() => control.close())
  const user = await control.signUp()
  const { password, email, cookie } = user
  const started = await control.call('POST', '/api/auth/second-factor', { cookie, body: { password } })
  const { secret } = started.body as { secret: string }
  passedMs += 30_000
  const body = { password, code: totpCode(secret, identityNow()) }
  await expectStatus(control.call('POST', '/api/auth/second-factor/confirm', { cookie, body }), 200)
  await t.test('are limited with the other codes', async () => {
    const answers = []
    for (let left = 4; left > 0; left--) {
      const code = 'aaaa-bbbb-cccc-dddd'
      answers.push(codeOf(await control.call('POST', '/api/auth/login', { body: { email, password, code } })))
    }
    assert.deepEqual(answers.toSorted().at(-1), 'too_many_requests')
  })
})
