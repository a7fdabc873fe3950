import assert from 'node:assert/strict'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

t.test('the owner of an address replaces the password of someone else who registered it', async () => {
  if (browser === null) return
  const attacker = new Person(system, 'victim')
  await attacker.register()
  const { page: first, context, complaints } = await visit(browser, system)
  await first.goto('/register')
  await first.getByLabel('E-mail address').fill(attacker.email)
  await first.getByLabel('Password', { exact: true }).fill('what the owner chose')
  await first.getByRole('button', { name: 'Create account' }).click()
  await first.getByRole('heading', { name: 'Check your e-mail' }).waitFor()
  const page = await context.newPage()
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  await page.goto(String(linkIn(await latestMail(system.addresses.mailbox!, attacker.email))))
  await page.getByLabel('Password', { exact: true }).fill('what the owner chose')
  await page.getByRole('button', { name: 'Confirm and sign in' }).click()
  await heading('This address was registered with a different password')
  assert.partialDeepStrictEqual(await attacker.login(), {
    status: 403,
    body: { error: { code: 'email_not_confirmed' } }
  })
  await page.getByRole('button', { name: 'Use the password I typed' }).click()
  await heading('Keys')
  await first.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()
  assert.deepEqual(await accessibilityProblems(first), [])
  await first.getByRole('link', { name: 'Open the dashboard' }).click()
  await first.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.partialDeepStrictEqual(await attacker.login(), {
    status: 401,
    body: { error: { code: 'invalid_credentials' } }
  })
  assert.deepEqual(complaints, [])
})

t.test('a forgotten password is replaced through the link in the mail', async () => {
  if (browser === null) return
  const { email } = await new Person(system, 'ada').join()
  const { page, complaints } = await visit(browser, system)
  await page.goto('/login')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('E-mail address').fill(email)
  const before = await latestMail(system.addresses.mailbox!, email)
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByText('Check your e-mail').waitFor()
  const mail = await latestMail(system.addresses.mailbox!, email, { newerThan: before })
  await page.goto(String(linkIn(mail)))
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
  assert.equal(new URL(page.url()).hash, '', 'the token does not stay in the address')
  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Choose a password of at least 8 characters.').waitFor()
  await page.getByLabel('New password').fill('another long password')
  await page.getByLabel('Also revoke my API keys').check()
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Your new password is set').waitFor()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('another long password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.deepEqual(complaints, [])
})
