import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { totpCode } from '@tollgate/sandbox/identity/totp.ts'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

t.test('a person signs in with a provider, and comes back to the page they wanted', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system)
  await page.goto('/dashboard/keys?q=x')
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.getByRole('link', { name: 'Continue with GitHub' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('You cancelled the sign-in').waitFor()
  await page.getByRole('link', { name: 'Continue with GitHub' }).click()
  const email = `${randomUUID()}@example.com`
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Name').fill('Grace')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
  assert.match(page.url(), /\/dashboard\/keys\?q=x$/)

  await page.goto('/dashboard/account')
  await page.getByText('You sign in with another provider').waitFor()
  assert.equal(await page.getByLabel('Current password').count(), 0)
  await page.getByRole('button', { name: 'Set a password by e-mail' }).click()
  await page.getByText('We sent you a link.').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('a sign-in with a provider asks for the second factor', async () => {
  if (browser === null) return
  const bob = await new Person(system, 'bob').join()
  const { password } = bob
  const made = await bob.call<{ secret: string }>('POST', '/api/auth/second-factor', { password })
  const { secret } = made.body
  const code = totpCode(secret, Date.now())
  assert.equal((await bob.call('POST', '/api/auth/second-factor/confirm', { password, code })).status, 200)
  const { page, context } = await visit(browser, system)
  await page.goto('/register')
  await page.getByRole('link', { name: 'Continue with GitHub' }).click()
  await page.getByLabel('E-mail address').fill(bob.email)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, Date.now() + 30_000))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await page.getByTitle(bob.email).waitFor()
  await context.close()
})

t.test('the form of a new password shows its strength', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system)
  await page.goto('/register')
  const field = page.getByLabel('Password', { exact: true })
  for (const [password, words] of [
    ['abc', 'Use at least 8 characters.'],
    ['password', 'Easy to guess. Add more words.'],
    ['correct horse battery', 'Strong']
  ] as const) {
    await field.fill(password)
    await page.getByRole('status').filter({ hasText: words }).waitFor()
  }
  await context.close()
})
