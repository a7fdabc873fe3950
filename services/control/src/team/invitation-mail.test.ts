import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { builtInBrand } from '@tollgate/service/brand/brand.ts'
import { anonKey, serviceRoleKey } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { teamOf } from './testing/team-of.ts'

/** GoTrue sends a user one mail of a kind in this time. */
const mailGapMs = 1100

onDatabase('the mail of an invitation', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call, identity } = control
  const { invited } = teamOf(control)
  const client = (key: string) =>
    createClient(identity.url, key, { auth: { persistSession: false, autoRefreshToken: false } }).auth
  const admin = client(serviceRoleKey).admin
  const owner = await control.signUp({ plan: 'team', name: 'Olive Owner' })
  const mailTo = (email: string, newerThan?: { ID: string }) =>
    latestMail(identity.mailboxUrl, email, newerThan && { newerThan })
  const sentence = (who: string) => `${who} invited you to their team at ${builtInBrand.name}.`
  const nobody = `You have been invited to a team at ${builtInBrand.name}.`
  const olive = `Olive Owner (${owner.email})`

  /** Waits until nothing of the inviter is left in the metadata of an invited user. */
  async function untilInviterIsGone(email: string): Promise<void> {
    for (const deadline = Date.now() + 10_000; ; await sleep(20)) {
      const { data } = await admin.listUsers({ perPage: 1000 })
      const user = data.users.find((one) => one.email === email)
      const stored = JSON.stringify([user?.user_metadata, user?.identities])
      if (user !== undefined && !/invit|Olive/.test(stored)) return
      assert.ok(Date.now() < deadline, stored)
    }
  }

  await t.test('names the inviter to new and to existing users, and leaves no trace of them there', async () => {
    const user = await control.signUp()
    const before = await mailTo(user.email)
    await invited(owner, { email: 'newcomer@example.com' })
    await invited(owner, user)
    for (const mail of [await mailTo('newcomer@example.com'), await mailTo(user.email, before)]) {
      assert.equal(mail.Subject, 'You have been invited to a team')
      assert.ok(mail.Text.includes(sentence(olive)), mail.Text)
      assert.ok(!mail.Text.includes(nobody))
    }
    for (const email of ['newcomer@example.com', user.email]) await untilInviterIsGone(email)
    assert.equal((await admin.getUserById(user.id)).data.user?.user_metadata.display_name, user.name)
  })

  await t.test('names the inviter of its own link, also if another team invited the person before', async () => {
    const other = await control.signUp({ plan: 'team' })
    const email = 'wanted@example.com'
    await invited(owner, { email })
    const first = await mailTo(email)
    await untilInviterIsGone(email)
    const { token } = await invited(other, { email })
    const second = await mailTo(email, first)
    assert.ok(linkIn(second).href.includes(token))
    assert.ok(second.Text.includes(sentence(`Ada Lovelace (${other.email})`)), second.Text)
  })

  await t.test('cannot be made to name somebody else', async () => {
    const forged = { invited_by: 'The Boss (boss@example.com)', invitation_link: 'http://localhost:3000' }
    // Mallory registers somebody's address at the provider.
    const stranger = 'stranger@example.com'
    const registered = await client(anonKey).signUp({
      email: stranger,
      password: 'a password',
      options: { data: forged }
    })
    assert.equal(registered.error, null)
    const confirmation = await mailTo(stranger)
    await invited(owner, { email: stranger })
    assert.ok((await mailTo(stranger, confirmation)).Text.includes(sentence(olive)))

    // Somebody else asks for the mail of an existing user, with and without data.
    const user = await control.signUp()
    for (const metadata of [forged, { invited_by: forged.invited_by, invitation_link: null }]) {
      await admin.updateUserById(user.id, { user_metadata: metadata })
      const before = await mailTo(user.email)
      const answer = await client(anonKey).signInWithOtp({
        email: user.email,
        options: { data: forged, emailRedirectTo: 'http://localhost:3000/invitations/x' }
      })
      assert.equal(answer.error, null)
      const mail = await mailTo(user.email, before)
      assert.ok(mail.Text.includes(nobody) && !mail.Text.includes('Boss'), mail.Text)
      await sleep(mailGapMs)
    }
  })

  await t.test('shows the inviter’s name as text, in one line, without links, and cut', async () => {
    const name = `<a href="https://evil.example">{{ .Token }}</a>\u202e${'x'.repeat(100)}`
    assert.equal((await call('PATCH', '/api/auth/me', { cookie: owner.cookie, body: { name } })).status, 200)
    const user = await control.signUp()
    const before = await mailTo(user.email)
    const { token } = await invited(owner, user)
    const mail = await mailTo(user.email, before)
    const text = `<a href="https evil. example">{{ . Token }}< a> ${'x'.repeat(12)}…`
    assert.ok(mail.Text.includes(sentence(`${text} (${owner.email})`)), mail.Text)
    assert.ok(!mail.HTML.includes('<a href="https://evil'))
    assert.equal(linkIn(mail).href, `http://localhost:3000/invitations/${token}`)
  })
})
