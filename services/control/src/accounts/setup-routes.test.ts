import assert from 'node:assert/strict'
import type { SetupResponse } from '@tollgate/contracts/http/setup.ts'
import { eq } from 'drizzle-orm'
import { test } from 'tap'
import type { Static } from 'typebox'
import { ledger } from '../database/schema/usage.ts'
import { onEachDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { judgeSetup, type SetupFacts } from './setup-routes.ts'

const fresh: SetupFacts = {
  role: 'owner',
  hasKey: false,
  hasUsage: false,
  hasInvited: false,
  seatLimit: 1,
  isOnFreePlan: true,
  arePlansOnSale: true
}
const told = (changed: Partial<SetupFacts>) =>
  judgeSetup({ ...fresh, ...changed }).map(({ step, done }) => `${step}${done ? ' done' : ''}`)

test('a new owner has a confirmed address and three steps to go', async () => {
  assert.deepEqual(told({}), ['confirm_address done', 'create_key', 'first_call', 'choose_plan'])
})

test('each fact completes its own step', async () => {
  assert.deepEqual(told({ hasKey: true, hasUsage: true, isOnFreePlan: false }), [
    'confirm_address done',
    'create_key done',
    'first_call done',
    'choose_plan done'
  ])
})

test('only plans with seats ask for an invitation', async () => {
  const steps = (changed: Partial<SetupFacts>) => told(changed).filter((step) => step.startsWith('invite'))
  assert.deepEqual(steps({ seatLimit: 1 }), [])
  assert.deepEqual(steps({ seatLimit: 2 }), ['invite_member'])
  assert.deepEqual(steps({ seatLimit: null, hasInvited: true }), ['invite_member done'])
})

test('a member neither invites nor pays, and without prices nobody chooses a plan', async () => {
  assert.deepEqual(told({ role: 'seat', seatLimit: null }), ['confirm_address done', 'create_key', 'first_call'])
  assert.deepEqual(told({ arePlansOnSale: false }), ['confirm_address done', 'create_key', 'first_call'])
})

onEachDatabase('the first steps of an account', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const { orm } = control.database
  const read = async (cookie: string) => {
    const answer = await call('GET', '/api/account/setup', { cookie })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return (answer.body as Static<typeof SetupResponse>).setup
  }
  const open = async (cookie: string) => (await read(cookie)).steps.filter(({ done }) => !done).map(({ step }) => step)

  await t.test('each step is done once the account has what it asks for', async () => {
    const ada = await control.signUp()
    assert.deepEqual(await open(ada.cookie), ['create_key', 'first_call', 'choose_plan'])
    assert.equal((await call('POST', '/api/playground/token', { cookie: ada.cookie, body: {} })).status, 200)
    assert.deepEqual(await open(ada.cookie), ['create_key', 'first_call', 'choose_plan'], 'a token is no key')
    await call('POST', '/api/keys', { cookie: ada.cookie, body: { label: 'first' } })
    assert.deepEqual(await open(ada.cookie), ['first_call', 'choose_plan'])
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
    await orm.insert(ledger).values({ accountId: ada.id, hour, run: 'r', keyId: 'key_a', model: 'small', ...zero })
    assert.deepEqual(await open(ada.cookie), ['choose_plan'])
    await control.setPlan(ada.id, 'team')
    // The next sign-in reads the plan.
    await control.signIn(ada)
    assert.deepEqual(await open(ada.cookie), ['invite_member'])
    const seat = await control.signUp()
    const invited = await call('POST', '/api/team/seats', { cookie: ada.cookie, body: { email: seat.email } })
    assert.deepEqual(await open(ada.cookie), [])
    const token = (invited.body as { invitation: { link: string } }).invitation.link.split('/').at(-1)
    assert.equal((await call('POST', `/api/team/invitations/${token}/accept`, { cookie: seat.cookie })).status, 200)
    assert.deepEqual(
      (await read(seat.cookie)).steps.map(({ step }) => step),
      ['confirm_address', 'create_key', 'first_call']
    )
    assert.equal((await call('POST', '/api/account/setup/dismiss', { cookie: seat.cookie })).status, 403)
    await orm.delete(ledger).where(eq(ledger.accountId, ada.id))
  })

  await t.test('the owner dismisses the list for the whole account', async () => {
    const bob = await control.signUp()
    assert.equal((await read(bob.cookie)).dismissed, false)
    for (const _ of [1, 2]) {
      assert.equal((await call('POST', '/api/account/setup/dismiss', { cookie: bob.cookie })).status, 200)
    }
    assert.equal((await read(await control.signIn(bob))).dismissed, true)
    assert.equal((await call('GET', '/api/account/setup')).status, 401)
    assert.equal((await call('POST', '/api/account/setup/dismiss')).status, 401)
  })
})

const zero = {
  requests: 1,
  errors: 0,
  promptTokens: 1,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  costNanos: 0,
  revision: 1
}
