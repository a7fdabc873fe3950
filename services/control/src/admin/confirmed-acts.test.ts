import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { totpCode } from '@tollgate/sandbox/identity/totp.ts'
import { test } from 'tap'
import { teamOf } from '../team/testing/team-of.ts'
import { codeOf } from '../testing/call-control.ts'
import type { RunningControl, TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

const reason = 'a test'
const month = new Date().toISOString().slice(0, 7)
const tenMinutesMs = 10 * 60_000

type Act = readonly [method: string, path: string, body?: object]
type Role = 'support' | 'money'

/**
 * Acts that give away money, data or rights, or that cannot be undone; each with its role. They need a confirmation.
 */
const confirmedActs = (id: string): ReadonlyArray<readonly [role: Role, act: Act]> => [
  ['money', ['PATCH', `/accounts/${id}`, { reason, plan: { id: 'enterprise', ends_at: null } }]],
  ['money', ['PATCH', `/accounts/${id}`, { reason, limits: { monthly_budget_usd: 1e6, ends_at: null } }]],
  ['money', ['POST', `/accounts/${id}/adjustments`, { id: randomUUID(), amount_usd: -5, month, reason }]],
  ['money', ['POST', '/catalog', { version: 99, reason }]],
  ['money', ['GET', '/usage']],
  ['money', ['GET', `/requests/export?account=${id}`]],
  ['money', ['GET', '/export-check']],
  ['money', ['POST', '/webhooks', { url: 'https://hooks.example.com/' }]],
  ['support', ['POST', '/keys/revoke', { id: 'key_unknown', reason }]],
  ['support', ['POST', '/projection/rebuild', { reason }]],
  ['support', ['DELETE', `/accounts/${id}`, { reason }]]
]

/** Acts of support that protect a customer, or tell customers something, at once. */
const plainActs = (id: string): readonly Act[] => [
  ['POST', `/accounts/${id}/suspend`, { reason }],
  ['POST', `/accounts/${id}/resume`, { reason }],
  ['POST', `/accounts/${id}/signout`, { reason }],
  ['POST', '/announcements', { level: 'outage', title: 'No answers' }]
]

const actor =
  ({ call }: RunningControl) =>
  async (cookie: string, [method, path, body]: Act): Promise<string> => {
    const answer = await call(method, `/api/admin${path}`, { cookie, ...(body !== undefined && { body }) })
    return answer.status < 300 ? 'done' : codeOf(answer)
  }

test('acts of operators', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const { call } = control
  const act = actor(control)
  const planOf = async ({ cookie }: TestUser) =>
    ((await call('GET', '/api/account', { cookie })).body as { account: { plan: string } }).account.plan

  await t.test('ten minutes after the sign-in, a stolen session can no longer spend, export or revoke', async () => {
    const operator = await control.signUpOperator()
    const user = await control.signUp()
    control.passTime(tenMinutesMs)
    for (const [, one] of confirmedActs(user.id)) {
      assert.equal(await act(operator.cookie, one), 'confirmation_required', one.join(' '))
    }
    assert.equal(await planOf(user), 'free')
    for (const one of plainActs(user.id)) assert.equal(await act(operator.cookie, one), 'done', one.join(' '))
    assert.equal(await act(operator.cookie, ['GET', `/accounts/${user.id}`]), 'done')
  })

  await t.test('the password gives the session ten more minutes, and no other session', async () => {
    const operator = await control.signUpOperator()
    const other = await control.signIn(operator)
    const user = await control.signUp()
    control.passTime(tenMinutesMs)
    const confirm = (body: object) => call('POST', '/api/auth/reauthenticate', { cookie: operator.cookie, body })
    const [, plan] = confirmedActs(user.id)[0]!
    assert.equal(codeOf(await confirm({ password: 'not the password' })), 'wrong_password')
    assert.equal(codeOf(await confirm({ code: '123456' })), 'invalid_request')
    assert.equal(await act(operator.cookie, plan), 'confirmation_required')
    assert.equal((await confirm({ password: operator.password })).status, 200)
    control.passTime(tenMinutesMs - 60_000)
    assert.equal(await act(operator.cookie, plan), 'done')
    assert.equal(await planOf(user), 'enterprise')
    assert.equal(await act(other, plan), 'confirmation_required')
    control.passTime(60_000)
    assert.equal(await act(operator.cookie, plan), 'confirmation_required')
  })

  await t.test('nobody changes their own plan, limits, usage or suspension', async () => {
    const operator = await control.signUpOperator()
    const assertForbidden = async (id: string) => {
      const [plan, limits, adjustment] = confirmedActs(id)
      for (const one of [plan![1], limits![1], adjustment![1], ...plainActs(id).slice(0, 2)]) {
        assert.equal(await act(operator.cookie, one), 'forbidden', one.join(' '))
      }
    }
    await assertForbidden(operator.id)
    assert.equal(await planOf(operator), 'free')
    // In a team, both accounts are theirs.
    const owner = await control.signUp({ plan: 'team' })
    await teamOf(control).joined(owner, operator)
    await assertForbidden(operator.id)
    await assertForbidden(owner.id)
  })

  await t.test('a role limits what an operator may do; without a list of roles they may do everything', async () => {
    for (const [name, roles] of [
      ['operator:read', []],
      ['operator:support', ['support']],
      ['operator:money, unknown', ['money']],
      ['operator:support,money', ['support', 'money']],
      ['operator', ['support', 'money']]
    ] as const) {
      const operator = await control.signUpOperator(name)
      const me = await call('GET', '/api/auth/me', { cookie: operator.cookie })
      const { user } = me.body as { user: { role: string; operator_roles: string[] } }
      assert.deepEqual([user.role, user.operator_roles], ['operator', ['read', ...roles]])
      const customer = await control.signUp()
      const acts = [...plainActs(customer.id).map((one) => ['support', one] as const), ...confirmedActs(customer.id)]
      for (const [role, one] of acts) {
        const mayAct = (roles as readonly Role[]).includes(role)
        const outcome = await act(operator.cookie, one)
        assert.equal(outcome === 'forbidden', !mayAct, `${name}: ${one.join(' ')} ${outcome}`)
      }
      for (const path of ['/accounts', `/accounts/${customer.id}`, '/audit', '/catalog', '/webhooks', '/money']) {
        assert.equal(await act(operator.cookie, ['GET', path]), 'done', `${name}: ${path}`)
      }
    }
    const nobody = await control.signUpOperator('operator:suport')
    assert.equal(await act(nobody.cookie, ['GET', '/accounts']), 'not_found')
  })
})

test('where operators need a second factor', async (t) => {
  let passedMs = 0
  const identityNow = () => Date.now() + passedMs
  const control = await startControl({ operatorsNeedSecondFactor: true, identityNow })
  t.after(() => control.close())
  const { call } = control
  const act = actor(control)
  const operator = await control.signUpOperator()
  const { password } = operator
  const user = await control.signUp()
  const [, plan] = confirmedActs(user.id)[0]!
  assert.equal(await act(operator.cookie, plan), 'operator_needs_second_factor')
  assert.equal(await act(operator.cookie, ['POST', `/accounts/${user.id}/suspend`, { reason }]), 'done')

  const { cookie } = operator
  const started = await call('POST', '/api/auth/second-factor', { cookie, body: { password } })
  const { secret } = started.body as { secret: string }
  const newCode = () => {
    passedMs += 30_000
    return totpCode(secret, identityNow())
  }
  const body = { password, code: newCode() }
  const turnedOn = await call('POST', '/api/auth/second-factor/confirm', { cookie, body })
  operator.cookie = turnedOn.cookies[0]!.split(';')[0]!
  assert.equal(await act(operator.cookie, plan), 'done', 'turning it on is a confirmation')

  control.passTime(tenMinutesMs)
  // It checks only the password, and opens a new session.
  const changed = await call('POST', '/api/auth/change-password', {
    cookie: operator.cookie,
    body: { current_password: password, password: 'another battery staple' }
  })
  operator.cookie = changed.cookies[0]!.split(';')[0]!
  assert.equal(await act(operator.cookie, plan), 'confirmation_required', 'a new password is no confirmation')
  const confirm = (proof: object) => call('POST', '/api/auth/reauthenticate', { cookie: operator.cookie, body: proof })
  const right = { password: 'another battery staple' }
  assert.equal(codeOf(await confirm(right)), 'second_factor_required')
  assert.equal(codeOf(await confirm({ ...right, code: '000000' })), 'invalid_code')
  assert.equal(await act(operator.cookie, plan), 'confirmation_required')
  assert.equal((await confirm({ ...right, code: newCode() })).status, 200)
  assert.equal(await act(operator.cookie, plan), 'done')
})
