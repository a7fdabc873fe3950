import assert from 'node:assert/strict'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { signIn } from './use-page.ts'
import { browser, joinAda, openWorld, system } from './world.ts'

let ada: Person
t.before(async () => {
  await openWorld(t)
  if (browser !== null) ada = await joinAda()
})

t.test('an ended session leads to sign-in, and then back to the page', async () => {
  if (browser === null) return
  const bob = await new Person(system, 'bob').join()
  const { page, context } = await visit(browser, system, { person: bob })
  await page.goto('/dashboard/account')
  await page.getByLabel('Name').waitFor()
  await bob.call('POST', '/api/auth/signout')
  // On this page several calls fail at once.
  await page.getByRole('navigation').getByRole('link', { name: 'Billing' }).click()
  await page.getByText('You have been signed out').waitFor()
  await page.getByLabel('E-mail address').fill(bob.email)
  await page.getByLabel('Password', { exact: true }).fill(bob.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/dashboard/billing')

  await context.route('**/api/auth/signout', (route) => route.abort())
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You may still be signed in.').waitFor()
  // A page that the browser restores from its cache is reloaded.
  const isLoadedAnew = page.waitForEvent('load')
  await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
  await isLoadedAnew

  await page.getByTitle(bob.email).waitFor()
  await context.addCookies([
    { name: 'svc_session', value: String(ada.cookie?.split('=')[1]), url: system.addresses.control }
  ])
  // The message that another tab sends after a different user has signed in.
  await page.evaluate('new BroadcastChannel("session").postMessage(null)')
  await page.getByTitle(ada.email).waitFor()
  await context.close()
})

t.test('a session that ends while a dialog is open loses nothing that was typed in it', async () => {
  if (browser === null) return
  const bob = await new Person(system, 'bob').join()
  const { page, context, complaints } = await visit(browser, system, { person: bob })
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Label').fill('typed before the session ended')
  await bob.call('POST', '/api/auth/signout')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const question = page.getByRole('dialog', { name: 'You have been signed out' })
  await question.waitFor()
  // The dialog of the page stays open below it.
  await page.keyboard.press('Escape')
  await question.click({ position: { x: 5, y: 5 } })
  assert.deepEqual(await accessibilityProblems(page), [])
  const [other] = await Promise.all([
    context.waitForEvent('page'),
    question.getByRole('link', { name: 'Sign in', exact: true }).click()
  ])
  await signIn(other, bob.email, bob.password)
  if (!other.isClosed()) await other.waitForEvent('close')
  await question.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row').filter({ hasText: 'typed before the session ended' }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('the account page lists the sessions of the user and signs out one of them', async () => {
  if (browser === null) return
  const bob = await new Person(system, 'bob').join()
  const lost = bob.through(system.addresses.control)
  bob.cookie = null
  await bob.login()
  const { page, context } = await visit(browser, system, { person: bob })
  await page.goto('/dashboard/account')
  const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await rows.filter({ hasText: 'This browser' }).waitFor()
  assert.equal(await rows.count(), 2)
  await page.getByRole('button', { name: 'Sign out Node.js' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('Session signed out.').waitFor()
  await rows.nth(1).waitFor({ state: 'detached' })
  assert.equal((await lost.me()).status, 401)
  assert.equal((await bob.me()).status, 200)
  await context.close()
})
