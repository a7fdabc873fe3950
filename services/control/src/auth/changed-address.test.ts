import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { codeOf } from '../testing/call-control.ts'
import { anonKey, serviceRoleKey } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import type { RunningControl, TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'
import { adoptUser } from '../users/adopt-user.ts'

const next = 'battery staple horse'
/** The provider refuses this password after it accepted the link. */
const shortForProvider = 'zebra.plum9'
const newAddress = () => `${randomUUID()}@example.com`

/** Changes a user's confirmed address at the provider, like its PUT /user after its links were opened. */
async function moveTo({ identity }: RunningControl, id: string, email: string): Promise<void> {
  const options = { auth: { persistSession: false, autoRefreshToken: false } }
  const { admin } = createClient(identity.url, serviceRoleKey, options).auth
  const { error } = await admin.updateUserById(id, { email, email_confirm: true })
  if (error !== null) throw error
}

const login = ({ call }: RunningControl, email: string, password: string) =>
  call('POST', '/api/auth/login', { body: { email, password } })

/** Requests a mail. @returns the token of its link to a new password, from the first mail after `newerThan` */
async function mailed(
  { call, identity }: RunningControl,
  path: string,
  email: string,
  newerThan?: Awaited<ReturnType<typeof latestMail>>
): Promise<string> {
  assert.deepEqual((await call('POST', `/api/auth/${path}`, { body: { email } })).body, { ok: true })
  const mail = await latestMail(identity.mailboxUrl, email, newerThan === undefined ? {} : { newerThan })
  return linkIn(mail).searchParams.get('token_hash')!
}

const reset = ({ call }: RunningControl, token: string, password: string) =>
  call('POST', '/api/auth/reset-password', { body: { token_hash: token, password } })

async function newKey({ call }: RunningControl, { cookie }: TestUser): Promise<string> {
  const answer = await call('POST', '/api/keys', { cookie, body: { label: 'a key', scope: 'inference' } })
  return (answer.body as { key: { id: string } }).key.id
}

async function keyStatus({ database }: RunningControl, id: string): Promise<unknown> {
  return (await queryRows<{ status: string }>(database.orm, sql`select status from keys where id = ${id}`))[0]!.status
}

onDatabase('a user whose address changed at the provider', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), minimumPasswordLength: 12 })
  t.after(() => control.close())
  const isSignedIn = async (cookie: string) => (await control.call('GET', '/api/auth/me', { cookie })).status === 200

  for (const path of ['forgot-password', 'resend-confirmation']) {
    await t.test(`is signed out, and loses all keys once the new owner uses ${path}`, async () => {
      const attacker = await control.signUp()
      const key = await newKey(control, attacker)
      const victim = newAddress()
      await moveTo(control, attacker.id, victim)
      control.passTime(60_000)
      assert.equal(await isSignedIn(attacker.cookie), false)
      assert.equal(codeOf(await login(control, victim, attacker.password)), 'email_not_confirmed')
      assert.equal(codeOf(await login(control, attacker.email, attacker.password)), 'invalid_credentials')
      assert.equal(await keyStatus(control, key), 'active')

      assert.equal((await reset(control, await mailed(control, path, victim), next)).status, 200)
      assert.equal(await keyStatus(control, key), 'revoked')
      assert.equal(codeOf(await login(control, victim, attacker.password)), 'invalid_credentials')
      assert.equal((await login(control, victim, next)).status, 200)
    })
  }

  await t.test('cannot sign in with an address that they took before their first sign-in', async () => {
    const [own, victim] = [newAddress(), newAddress()]
    const password = 'correct horse battery'
    await control.createByOperator({ email: own, password })
    const options = { auth: { persistSession: false, autoRefreshToken: false } }
    const { auth } = createClient(control.identity.url, anonKey, options)
    await auth.signInWithPassword({ email: own, password })
    assert.equal((await auth.updateUser({ email: victim })).error, null)
    // A mail scanner opens the link in the victim's mail.
    for (const address of [victim, own]) {
      const token = linkIn(await latestMail(control.identity.mailboxUrl, address)).searchParams.get('token')!
      const query = new URLSearchParams({ token, type: 'email_change', redirect_to: 'http://localhost:3000' })
      await fetch(`${control.identity.url}/auth/v1/verify?${query}`, { redirect: 'manual' })
    }
    assert.equal((await auth.signInWithPassword({ email: victim, password })).data.user?.email, victim)
    assert.equal(codeOf(await login(control, victim, password)), 'email_not_confirmed')
    const opened = await latestMail(control.identity.mailboxUrl, victim)
    assert.equal((await reset(control, await mailed(control, 'forgot-password', victim, opened), next)).status, 200)
    assert.equal(codeOf(await login(control, victim, password)), 'invalid_credentials')
    assert.equal((await login(control, victim, next)).status, 200)
  })

  await t.test('cannot sign in with the new address before control compares users', async () => {
    const user = await control.signUp()
    const email = newAddress()
    await moveTo(control, user.id, email)
    assert.equal(codeOf(await login(control, email, user.password)), 'email_not_confirmed')
  })

  await t.test('cannot set a password with a link for the earlier address', async () => {
    const user = await control.signUp()
    const confirmation = await latestMail(control.identity.mailboxUrl, user.email)
    const token = await mailed(control, 'forgot-password', user.email, confirmation)
    assert.equal(codeOf(await reset(control, token, shortForProvider)), 'weak_password')
    const email = newAddress()
    await moveTo(control, user.id, email)
    assert.equal(codeOf(await reset(control, token, next)), 'link_invalid')
    assert.equal(codeOf(await login(control, email, next)), 'invalid_credentials')
    assert.equal(codeOf(await login(control, email, user.password)), 'email_not_confirmed')
  })

  await t.test('proves nothing with a confirmation link for the earlier address', async () => {
    const [before, after] = [newAddress(), newAddress()]
    const body = { email: before, password: next, name: 'Vera' }
    assert.equal((await control.call('POST', '/api/auth/register', { body })).status, 200)
    const link = { token_hash: '', type: 'email' }
    link.token_hash = new URLSearchParams((await control.confirmationLink(before)).split('?')[1]).get('token_hash')!
    const confirm = (password: string) => control.call('POST', '/api/auth/confirm', { body: { ...link, password } })
    assert.equal(codeOf(await confirm('not this password')), 'password_mismatch')
    const [row] = await queryRows<{ id: string }>(
      control.database.orm,
      sql`select user_id as id from unproved_users where email = ${before}`
    )
    await moveTo(control, row!.id, after)
    assert.equal(codeOf(await login(control, after, next)), 'email_not_confirmed')
    assert.equal(codeOf(await confirm(next)), 'link_invalid')
    assert.equal(codeOf(await login(control, after, next)), 'email_not_confirmed')
  })

  await t.test('stays signed in if only upper and lower case changed', async () => {
    const user = await control.signUp()
    const seen = {
      id: user.id,
      email: user.email.toUpperCase(),
      name: user.name,
      plan: 'free',
      isOperator: false,
      operatorRoles: null,
      isBanned: false
    }
    await control.database.orm.transaction((tx) => adoptUser(tx, control, user.id, seen, control.now()))
    assert.equal(await isSignedIn(user.cookie), true)
    assert.equal((await login(control, user.email, user.password)).status, 200)
  })
})
