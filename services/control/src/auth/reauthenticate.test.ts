import assert from 'node:assert/strict'
import { test } from 'tap'
import { codeOf } from '../testing/call-control.ts'
import { startControl } from '../testing/start-control.ts'

test('what a stolen session cannot do without the password', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const { call } = control
  const remove = (cookie: string) => call('DELETE', '/api/auth/me', { cookie })
  const create = (cookie: string, scope: string) => call('POST', '/api/keys', { cookie, body: { label: 'a', scope } })
  const confirm = (cookie: string, body: object) => call('POST', '/api/auth/reauthenticate', { cookie, body })

  await t.test(
    'ten minutes after the sign-in, it creates no management key; inference keys need no password',
    async () => {
      const user = await control.signUp({ plan: 'enterprise' })
      const created = await create(user.cookie, 'management')
      assert.equal(created.status, 201)
      const { id } = (created.body as { key: { id: string } }).key
      const rotate = () => call('POST', `/api/keys/${id}/rotate`, { cookie: user.cookie, body: {} })
      control.passTime(10 * 60_000)
      assert.equal(codeOf(await rotate()), 'confirmation_required')
      assert.equal(codeOf(await create(user.cookie, 'management')), 'confirmation_required')
      assert.equal((await create(user.cookie, 'inference')).status, 201)
      assert.equal((await confirm(user.cookie, { password: user.password })).status, 200)
      assert.equal((await rotate()).status, 200)
      assert.equal((await create(user.cookie, 'management')).status, 201)
    }
  )

  await t.test('it does not delete the user; a user who has just signed in deletes themselves', async () => {
    const user = await control.signUp()
    control.passTime(10 * 60_000)
    assert.equal(codeOf(await remove(user.cookie)), 'confirmation_required')
    assert.equal(codeOf(await confirm(user.cookie, { password: 'wrong' })), 'wrong_password')
    assert.equal(codeOf(await remove(user.cookie)), 'confirmation_required')
    assert.equal((await remove(await control.signIn(user))).status, 200)
    assert.equal(codeOf(await confirm(user.cookie, { password: user.password })), 'not_authenticated')
  })
})
