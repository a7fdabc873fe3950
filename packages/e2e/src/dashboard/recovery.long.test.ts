import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { browser, joinAda, openWorld, system } from './world.ts'

let ada: Person
t.before(async () => {
  await openWorld(t)
  if (browser !== null) ada = await joinAda()
})

/** The longest pause between two attempts is half a minute. */
const recovers = { timeout: 90_000 }

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const go = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name, exact: true }).click()

/** Marks the page, so that a reload can be told. */
const mark = (page: Page) => page.evaluate('window.isMarked = true')
const isMarked = (page: Page) => page.evaluate('window.isMarked === true')

t.test('a page that cannot be shown keeps the frame, and loads when the network or control is back', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await page.goto('/dashboard')
  await title(page, 'Overview').waitFor()
  await page.waitForLoadState('networkidle')
  await mark(page)
  await context.setOffline(true)
  // The code of this page is not loaded yet.
  await go(page, 'Billing')
  await page.getByText('The server cannot be reached').waitFor()
  assert.ok(await page.getByTitle(ada.email).isVisible(), 'the frame stays')
  await context.setOffline(false)
  await title(page, 'Billing').waitFor(recovers)
  assert.ok(await isMarked(page), 'nothing was reloaded')

  const control = system.part('control')
  await control.stop()
  await go(page, 'Team')
  await page.getByText('The server cannot be reached').waitFor()
  await control.start()
  await title(page, 'Team').waitFor(recovers)
  await page.getByText(ada.email).first().waitFor()

  await context.route('**/api/auth/me', (route) => route.fulfill({ status: 503, body: 'not ours' }))
  await page.goto('/dashboard/limits')
  await page.getByText('The server sent an unexpected answer').waitFor()
  await page.getByRole('link', { name: 'Sign in again' }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await context.unroute('**/api/auth/me')
  await title(page, 'Limits').waitFor(recovers)
  await context.close()
})

t.test('a failure that stays is not repeated, and can be retried', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  const error = { message: 'Not now.', type: 'permission_error', code: 'forbidden' }
  await context.route('**/api/team', (route) => route.fulfill({ status: 403, json: { error } }))
  await page.goto('/dashboard/team')
  await page.getByText('Not now.', { exact: true }).waitFor()
  await context.unroute('**/api/team')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('list', { name: 'Members' }).waitFor()
  await context.close()
})

t.test('a dialog whose code is missing leaves the page as it is, and opens when the server is back', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await page.goto('/dashboard/playground')
  const message = page.getByLabel('Message')
  await message.fill('typed before')
  await page.waitForLoadState('networkidle')
  await context.setOffline(true)
  await page.keyboard.press('ControlOrMeta+k')
  const waiting = page.getByRole('dialog', { name: 'This could not be opened' })
  await waiting.getByText('The server cannot be reached').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await context.setOffline(false)
  await page.getByRole('combobox', { name: 'Search pages' }).and(page.locator(':focus')).waitFor(recovers)
  await page.keyboard.press('Escape')

  // A deploy has replaced the files of this page.
  const old = /\/assets\/(bell-panel|webhooks-page)/
  await context.route(old, (route) => route.fulfill({ status: 404, body: '' }))
  const bell = page.getByRole('button', { name: /^Notices/ })
  await bell.click()
  await page.getByRole('dialog', { name: 'Reload the page to continue' }).waitFor()
  await page.keyboard.press('Escape')
  await bell.and(page.locator(':focus')).waitFor()
  assert.equal(await message.inputValue(), 'typed before')

  const isReloaded = page.waitForEvent('load')
  await go(page, 'Webhooks')
  await isReloaded
  await title(page, 'Something went wrong').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Go to the overview' }).getAttribute('href'), '/dashboard')
  await context.unroute(old)
  await page.getByRole('button', { name: 'Reload page' }).click()
  await title(page, 'Webhooks').waitFor()
  await context.close()
})

t.test('the rest of a list that could not be loaded follows on its own', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  const { body } = await ada.call<{ keys: Array<{ id: string }> }>('GET', '/api/keys?limit=1')
  const [key] = body.keys
  let isCut = true
  // One page of the real list, twice.
  await context.route(/\/api\/keys\?limit=50/, async (route) => {
    const isNext = route.request().url().includes('cursor=')
    if (isNext && isCut) return route.abort()
    const answer = await route.fetch({ url: `${system.addresses.control}/api/keys?limit=1&spend=true` })
    const { keys } = (await answer.json()) as { keys: object[] }
    const id = isNext ? 'key_000000000000000000000000' : key!.id
    const listed = keys.map((one) => ({ ...one, id, label: isNext ? 'of the second page' : 'of the first page' }))
    return route.fulfill({ response: answer, json: { keys: listed, next_cursor: isNext ? null : 'next' } })
  })
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Show more keys' }).click()
  await page.getByText('The rest could not be loaded.').waitFor()
  isCut = false
  await page.getByRole('heading', { name: 'of the second page' }).waitFor(recovers)
  await page.getByRole('heading', { name: 'of the first page' }).waitFor()
  await context.close()
})

t.test('a wrong clock of the computer changes no page', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await page.clock.install({ time: new Date('2040-05-05T05:05:05Z') })
  await page.goto('/dashboard')
  await page.getByRole('region', { name: 'Top models' }).or(page.getByText('gpt-4o-mini')).first().waitFor()
  const month = new Date().toLocaleString('en-US', { month: 'long', timeZone: 'UTC' })
  await page.getByText(`Since ${month} 1 (UTC)`).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  await context.close()
})

t.test('sign-in and an invitation keep what was typed, and go on when control is back', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('team')
  const bob = await new Person(system, 'bob').join()
  const { body } = await owner.call<{ invitation: { link: string } }>('POST', '/api/team/seats', { email: bob.email })
  const { page, context } = await visit(browser, system)
  const busy = { error: { message: 'Too many attempts.', type: 'rate_limit_error', code: 'too_many_requests' } }
  await context.route('**/api/team/invitations/*', (route) => route.fulfill({ status: 502, body: 'not ours' }))
  await page.goto(body.invitation.link)
  await page.getByText('The server sent an unexpected answer').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await context.unroute('**/api/team/invitations/*')
  const email = page.getByLabel('E-mail address')
  await email.waitFor(recovers)

  await context.route('**/api/auth/login', (route) => route.abort())
  await email.fill(bob.email)
  await page.getByLabel('Password', { exact: true }).fill(bob.password)
  const button = page.getByRole('button', { name: 'Sign in' })
  await button.click()
  await page.getByText('The server cannot be reached').waitFor()
  await context.unroute('**/api/auth/login')
  const wait = { status: 429, headers: { 'retry-after': '20' }, json: busy }
  await context.route('**/api/auth/login', (route) => route.fulfill(wait), { times: 1 })
  await button.click()
  await page.getByText('Too many attempts. Try again in 20 seconds.').waitFor()
  await button.click()
  await page.getByRole('button', { name: 'Join the team' }).waitFor()
  await context.close()
})

t.test('sign-in says that the browser refuses its cookie', async () => {
  if (browser === null) return
  const bob = await new Person(system, 'bob').join()
  const { page, context } = await visit(browser, system)
  await context.route('**/api/auth/login', async (route) => {
    const answer = await route.fetch()
    await context.clearCookies()
    const { 'set-cookie': _, ...headers } = answer.headers()
    await route.fulfill({ response: answer, headers })
  })
  await page.goto('/login')
  await page.getByLabel('E-mail address').fill(bob.email)
  await page.getByLabel('Password', { exact: true }).fill(bob.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('Allow cookies for this site, then sign in again.').waitFor()
  await context.close()
})

t.test('a message of another tab discards nothing while control is away', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const label = page.getByRole('dialog').getByLabel('Label')
  await label.fill('typed before')
  await mark(page)
  await context.route('**/api/auth/me', (route) => route.abort())
  // The page asks again who is signed in, and then for all that it shows.
  const isOver = page.waitForResponse(/\/api\/keys\?/)
  await page.evaluate('new BroadcastChannel("session").postMessage(null)')
  await isOver
  assert.ok(await isMarked(page))
  assert.equal(await label.inputValue(), 'typed before')
  await context.close()
})

t.test('a page goes on when its user has signed in elsewhere, also without a message about it', async () => {
  if (browser === null) return
  const bob = await new Person(system, 'bob').join()
  const { page, context } = await visit(browser, system, { person: bob })
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Label').fill('typed before')
  await bob.call('POST', '/api/auth/signout')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const question = page.getByRole('dialog', { name: 'You have been signed out' })
  await question.waitFor()
  bob.cookie = null
  await bob.login()
  const value = String(bob.cookie).split('=')[1] ?? ''
  await context.addCookies([{ name: 'svc_session', value, url: system.addresses.control }])
  await page.evaluate('dispatchEvent(new Event("focus"))')
  await question.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row').filter({ hasText: 'typed before' }).waitFor()
  await context.close()
})
