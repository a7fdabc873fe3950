import assert from 'node:assert/strict'
import { test } from 'tap'
import { codeOf } from '../testing/call-control.ts'
import { startControl } from '../testing/start-control.ts'

test('operators', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const { call } = control

  await t.test('for everybody but operators, the admin API does not exist', async () => {
    const user = await control.signUp()
    for (const options of [{}, { cookie: user.cookie }, { cookie: 'svc_session=invented' }]) {
      const answer = await call('GET', '/api/admin/audit', options)
      assert.deepEqual([answer.status, codeOf(answer)], [404, 'not_found'])
    }
  })

  await t.test('an operator is named as one, and reads what operators did', async () => {
    const { cookie } = await control.signUpOperator()
    const me = await call('GET', '/api/auth/me', { cookie })
    assert.equal((me.body as { user: { role?: string } }).user.role, 'operator')
    const answer = await call('GET', '/api/admin/audit', { cookie })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { entries: [], has_more: false, next_cursor: null })
  })

  await t.test('twelve hours after signing in, an operator must sign in again', async () => {
    const operator = await control.signUpOperator()
    control.passTime(12 * 3_600_000 + 1)
    const answer = await call('GET', '/api/admin/audit', { cookie: operator.cookie })
    assert.deepEqual([answer.status, codeOf(answer)], [401, 'sign_in_again'])
    const again = await call('GET', '/api/admin/audit', { cookie: await control.signIn(operator) })
    assert.equal(again.status, 200)
  })
})
