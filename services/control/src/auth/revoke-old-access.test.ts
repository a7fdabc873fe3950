import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { sql } from 'drizzle-orm'
import { test } from 'tap'
import { queryRows } from '../database/connect.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import { startRedisProxy } from '../testing/redis-proxy.ts'
import type { RunningControl, TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

const next = 'battery staple horse'
interface NewKey {
  id: string
  value: string
}

async function newKey({ call }: RunningControl, { cookie }: TestUser, scope = 'inference'): Promise<NewKey> {
  const answer = await call('POST', '/api/keys', { cookie, body: { label: `a ${scope} key`, scope } })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return (answer.body as { key: NewKey }).key
}

/** Requests a reset mail and sets the new password. */
async function reset(
  { call, identity }: RunningControl,
  { email }: Pick<TestUser, 'email'>,
  more: Record<string, unknown> = {}
): Promise<Answer> {
  const before = await latestMail(identity.mailboxUrl, email)
  await call('POST', '/api/auth/forgot-password', { body: { email } })
  const link = linkIn(await latestMail(identity.mailboxUrl, email, { newerThan: before }))
  const body = { token_hash: link.searchParams.get('token_hash'), password: next, ...more }
  return call('POST', '/api/auth/reset-password', { body })
}

const statusOf = async ({ database }: RunningControl, { id }: NewKey): Promise<string> => {
  const rows = await queryRows<{ status: string }>(database.orm, sql`select status from keys where id = ${id}`)
  return rows[0]!.status
}

/** Whether control accepts a management key. */
const isAccepted = async ({ call }: RunningControl, { value }: NewKey) =>
  (await call('GET', '/api/keys', { headers: { authorization: `Bearer ${value}` } })).status === 200

async function join(control: RunningControl, owner: TestUser, seat: TestUser): Promise<void> {
  const { body } = await control.call('POST', '/api/team/seats', { cookie: owner.cookie, body: { email: seat.email } })
  const token = (body as { invitation: { link: string } }).invitation.link.split('/').at(-1)
  const accepted = await control.call('POST', `/api/team/invitations/${token}/accept`, { cookie: seat.cookie })
  assert.equal(accepted.status, 200)
  // The provider waits a second between two mails to one person, and may just have mailed the invitation.
  await delay(1100)
}

test('a mailed reset', async (t) => {
  const control = await startControl()
  t.after(() => control.close())

  await t.test('revokes management keys, and inference keys only if asked', async () => {
    const user = await control.signUp({ plan: 'enterprise' })
    const management = await newKey(control, user, 'management')
    const inference = await newKey(control, user)
    assert.equal(await isAccepted(control, management), true)
    assert.deepEqual((await reset(control, user)).body, { ok: true })
    assert.equal(await isAccepted(control, management), false)
    assert.deepEqual([await statusOf(control, management), await statusOf(control, inference)], ['revoked', 'active'])

    const rows = await queryRows<{ action: string; subject: string | null; detail: Record<string, unknown> }>(
      control.database.orm,
      sql`select action, subject, detail from audit_log where account_id = ${user.id} order by id desc limit 2`
    )
    assert.deepEqual(rows, [
      { action: 'key.revoked', subject: management.id, detail: { label: 'a management key', by_password_reset: true } },
      { action: 'auth.password_reset', subject: null, detail: { keys_revoked: 1 } }
    ])
    assert.equal((await reset(control, user, { revoke_keys: true })).status, 200)
    assert.equal(await statusOf(control, inference), 'revoked')
    assert.equal((await reset(control, user, { revoke_keys: 'yes' })).status, 400)
  })

  await t.test('by a seat revokes only the keys that this user created in the team', async () => {
    const [owner, seat] = [await control.signUp({ plan: 'enterprise' }), await control.signUp()]
    const own = await newKey(control, seat)
    await join(control, owner, seat)
    const ofOwner = [await newKey(control, owner), await newKey(control, owner, 'management')]
    const ofSeat = await newKey(control, seat)
    assert.equal((await reset(control, seat)).status, 200)
    assert.equal(await statusOf(control, ofSeat), 'active')
    assert.equal((await reset(control, seat, { revoke_keys: true })).status, 200)
    assert.deepEqual([await statusOf(control, own), await statusOf(control, ofSeat)], ['revoked', 'revoked'])
    for (const key of ofOwner) assert.equal(await statusOf(control, key), 'active')

    const cookie = await control.signIn({ email: seat.email, password: next })
    const again = await newKey(control, { ...seat, cookie })
    assert.equal((await reset(control, owner, { revoke_keys: true })).status, 200)
    for (const key of [...ofOwner, again]) assert.equal(await statusOf(control, key), 'revoked')
  })
})

test('if Redis does not confirm the revocations, the reset says so, and that the password is set', async (t) => {
  const redis = await leaseRedis()
  t.after(() => redis.giveBack())
  const proxy = await startRedisProxy(redis.url)
  t.after(() => proxy.close())
  const control = await startControl({ redisUrl: proxy.url, acknowledgeTimeoutMs: 500 })
  t.after(() => control.close())
  const user = await control.signUp({ plan: 'pro' })
  const key = await newKey(control, user)
  proxy.cut()
  const answer = await reset(control, user, { revoke_keys: true })
  proxy.restore()
  assert.equal(answer.status, 503)
  assert.equal(codeOf(answer), 'revocation_pending')
  assert.match((answer.body as { error: { message: string } }).error.message, /^The new password is set/)
  assert.equal(await statusOf(control, key), 'revoked')
  assert.equal((await control.call('GET', '/api/auth/me', { cookie: user.cookie })).status, 401)
  const login = { body: { email: user.email, password: next } }
  assert.equal((await control.call('POST', '/api/auth/login', login)).status, 200)
})
