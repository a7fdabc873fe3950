import assert from 'node:assert/strict'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { sendStockMails } from './receiver.ts'
import { signIn } from './use-page.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

t.test('from here on, the identity provider uses its stock templates', async () => {
  if (browser === null) return
  await sendStockMails(t, system)
})

t.test('an invited person chooses a password, joins the team, sees its keys, and leaves', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('team')
  await owner.createKey('a key of the owner')
  const { page: theirs } = await visit(browser, system, { person: owner })
  await theirs.goto('/dashboard/team')
  await theirs.getByText('No pending invitations').waitFor()
  await theirs.getByRole('button', { name: 'Invite someone' }).first().click()
  await theirs.getByRole('button', { name: 'Invite', exact: true }).click()
  await theirs.getByText('Enter their e-mail address.').waitFor()
  const email = `grace-${crypto.randomUUID().slice(0, 8)}@example.com`
  await theirs.getByLabel('Their e-mail address').fill(email)
  await theirs.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = (await theirs.locator('[data-secret]').textContent()) ?? ''
  assert.equal(await theirs.getByText('The earlier link').count(), 0, 'this is the first invitation of the address')
  await theirs.getByRole('button', { name: 'Done' }).click()
  await theirs.getByText(email, { exact: true }).waitFor()
  assert.ok(!(await theirs.content()).includes(link), 'the page no longer has the link')
  const twice = `twice-${crypto.randomUUID().slice(0, 8)}@example.com`
  await owner.call('POST', '/api/team/seats', { email: twice })
  await theirs.reload()
  await theirs.getByText(twice, { exact: true }).waitFor()
  await theirs.getByRole('button', { name: 'Invite someone' }).first().click()
  await theirs.getByLabel('Their e-mail address').fill(twice.toUpperCase())
  await theirs.getByRole('button', { name: 'Invite', exact: true }).click()
  await theirs.getByText('The earlier link to this address no longer works.').waitFor()
  await theirs.getByRole('button', { name: 'Done' }).click()

  const { page, context, complaints } = await visit(browser, system)
  await page.goto(String(linkIn(await latestMail(system.addresses.mailbox!, email))))
  await page.getByRole('heading', { name: `Ada invited you to a team` }).waitFor()
  await page.getByText(`Ada (${owner.email}) invited you to their team`).waitFor()
  assert.equal(page.url(), link, 'no session is left in the address')
  await page.getByLabel('New password').fill('a password for grace')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('heading', { name: `Join the team of Ada?` }).waitFor()
  await page.getByText('Your password is set').waitFor()
  await page.getByText(`You are signed in as ${email}.`).waitFor()
  await page.getByText(`Ada (${owner.email}) invited you to their team`).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'the question whether to join')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Join the team' }).click()
  await page.getByText('You have been signed out').waitFor()
  assert.equal(page.url(), link, 'the invitation token does not appear in another address')
  await signIn(page, email, 'a password for grace')
  await page.getByRole('button', { name: 'Join the team' }).click()
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor()
  await page.getByText('You have joined the team of').waitFor()
  await page.getByText(owner.email).waitFor()
  await page.goto(link)
  await page.getByRole('heading', { name: 'You have joined a team' }).waitFor()
  await page.getByText(`${owner.email}). An invitation works only once.`).waitFor()
  await page.getByRole('link', { name: 'Open the team' }).click()
  await page.getByText(owner.email).waitFor()
  assert.equal(await page.getByText('You have joined the team of').count(), 0, 'joining is reported once')
  assert.ok(
    !(await page.getByRole('link', { name: 'Audit log' }).isVisible()),
    'members see no link to pages for owners'
  )
  assert.ok(!(await page.getByRole('button', { name: 'Invite someone' }).isVisible()))
  await page.goto('/dashboard/webhooks')
  await page.getByText('Only the owner of the team can see and change webhook endpoints.').waitFor()
  await page.goto('/dashboard/account')
  await page.getByRole('button', { name: 'Save notifications' }).waitFor()
  assert.equal(await page.getByLabel('Thresholds of the account').count(), 0, 'only the owner sets thresholds')
  await page.goto('/dashboard/team')
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('heading', { name: 'a key of the owner' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^(Edit|Rotate|Revoke)/ }).count(), 0)
  await page.getByRole('link', { name: 'Team' }).click()

  await theirs.reload()
  await theirs.getByRole('button', { name: `Remove ${email}` }).waitFor()
  await theirs.getByText('2 of 10 seats in use').waitFor()
  await page.getByRole('button', { name: 'Leave the team' }).click()
  await page.getByText('You return to your own account').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave the team' }).click()
  await page.getByText('Your plan is for one person').waitFor()
  assert.deepEqual(complaints, [])

  await page.goto(link)
  await page.getByRole('heading', { name: 'This invitation no longer works' }).waitFor()
  await page.getByText('It has been used, was withdrawn or has expired.').waitFor()
})

t.test('a person who is signed in only presses a button; another person can take their place', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('team')
  const [invited, other] = [await new Person(system, 'linus').join(), await new Person(system, 'other').join()]
  const { body } = await owner.call<{ invitation: { link: string } }>('POST', '/api/team/seats', {
    email: invited.email
  })
  const { page, complaints } = await visit(browser, system, { person: other })
  await page.goto(body.invitation.link)
  await page.getByRole('heading', { name: `Join the team of Ada?` }).waitFor()
  await page.getByRole('button', { name: 'Join the team' }).click()
  await page.getByText('This invitation is for another e-mail address.').waitFor()
  assert.ok(!(await page.content()).includes(invited.email), 'the page does not name the invited address')
  await page.getByRole('button', { name: 'Sign in with another account' }).click()
  await page.getByText('You are signed out').waitFor()
  assert.equal(page.url(), body.invitation.link)
  await page.getByText(`Ada (${owner.email}) invited you to their team`).waitFor()
  // Only the answer has a subscription, so joining works.
  await page.route('**/api/billing/plan', async (route) => {
    const answer = await route.fetch()
    const { plan } = (await answer.json()) as { plan: object }
    await route.fulfill({ response: answer, json: { plan: { ...plan, price_id: 'price_pro' } } })
  })
  await signIn(page, invited.email, invited.password)
  await page.getByText('Cancel your own subscription first.').waitFor()
  await page.getByRole('link', { name: 'Open Billing' }).waitFor()
  await page.getByRole('button', { name: 'Join the team' }).click()
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor()

  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByText('These are the keys of your team.').waitFor()
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Label').fill('after the removal')
  const { body: me } = await invited.call<{ user: { id: string } }>('GET', '/api/auth/me')
  await owner.call('DELETE', `/api/team/seats/${me.user.id}`)
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('You are no longer in the team, so no key was created.').waitFor()
  const told = page.getByRole('dialog', { name: 'You are no longer in the team' })
  await told.getByText('From now on you use your own account').waitFor()
  await page.keyboard.press('Escape')
  assert.deepEqual(await accessibilityProblems(page), [], 'the account has changed')
  await told.getByRole('link', { name: 'Continue' }).and(page.locator(':focus')).press('Enter')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await told.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByText('These are the keys of your team.').waitFor({ state: 'detached' })
  const { body: own } = await invited.call<{ keys: object[] }>('GET', '/api/keys')
  assert.deepEqual(own.keys, [], 'no key was created in their own account')
  assert.deepEqual(complaints, [])
})

t.test('the provider’s stock e-mails work: confirmation, new password, and an expired link', async () => {
  if (browser === null) return
  const ada = new Person(system, 'ada')
  await ada.register()
  const { page, complaints } = await visit(browser, system)
  const mailed = await latestMail(system.addresses.mailbox!, ada.email)
  await page.goto(String(linkIn(mailed)))
  await page.getByRole('heading', { name: 'Confirm your e-mail address' }).waitFor()
  assert.equal(new URL(page.url()).hash, '')
  await page.getByLabel('Password', { exact: true }).fill(ada.password)
  await page.getByRole('button', { name: 'Confirm and sign in' }).click()
  await page.getByRole('heading', { name: 'Create a key' }).waitFor()
  await page.goto(String(linkIn(mailed)))
  await page.getByText('This link does not work').waitFor()
  await page.goto('/reset-password#access_token=a.b.c&refresh_token=r&type=signup')
  await page.getByRole('heading', { name: 'Confirm your e-mail address' }).waitFor()
  assert.equal(new URL(page.url()).hash, '')
  await page.getByLabel('Password', { exact: true }).fill(ada.password)
  await page.getByRole('button', { name: 'Confirm and sign in' }).click()
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await page.goto('/login#access_token=a.b.c&refresh_token=r&type=recovery')
  await page.getByLabel('New password').fill('another long password')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await page.getByRole('link', { name: 'Request a new link' }).click()
  await page.getByLabel('E-mail address').fill(ada.email)
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.goto(String(linkIn(await latestMail(system.addresses.mailbox!, ada.email, { newerThan: mailed }))))
  await page.getByLabel('New password').fill('another long password')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Your new password is set').waitFor()
  await signIn(page, ada.email, 'another long password')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.deepEqual(complaints, [])
})
