import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { CreatedKey } from '@tollgate/contracts/http/keys.ts'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { writeApiTypes } from '@tollgate/dashboard/build/api-types.ts'
import type { Page, Request } from 'playwright-core'
import t from 'tap'
import { chatOutcome, openaiClient } from '../openai-client.ts'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-accessibility.ts'
import { ownPages, publicPages } from './pages.ts'
import { browser, system } from './world.ts'

const hostile = '<img src=x onerror="alert(1)">"\'`=cmd|x!A1'
/** The limit for the first page, as transferred. */
const maxBytes = 200_000

let ada: Person
t.before(async () => {
  if (browser === null) return
  ada = await new Person(system, 'ada').join('team')
  await ada.call('PATCH', '/api/auth/me', { name: hostile })
  const { body } = await ada.call<{ key: CreatedKey }>('POST', '/api/keys', {
    label: hostile,
    metadata: { a: hostile }
  })
  await ada.call('POST', '/api/team/seats', { email: 'grace@example.com' })
  await chatOutcome(openaiClient(system.addresses.gateways[0]!, body.key.value))
})

/** Waits until all parts of a page are loaded. */
const untilLoaded = (page: Page) => page.getByText('Loading…').first().waitFor({ state: 'detached' })

t.test('every page, in both themes and on narrow and wide screens, is accessible and fits', async () => {
  if (browser === null) return
  const wide = { width: 1920, height: 900 }
  const narrow = { width: 360, height: 740 }
  const own = await visit(browser, system, { person: ada, viewport: wide })
  const stranger = await visit(browser, system, { viewport: wide })
  const check = async (page: Page, title: string) => {
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await untilLoaded(page)
    await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
    // Themes differ only in colours, so two of the four combinations suffice.
    for (const [colorScheme, size] of [
      ['light', narrow],
      ['dark', wide]
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(size)
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(width <= size.width, `${title} fits ${size.width} px`)
      assert.deepEqual(await accessibilityProblems(page), [], `${title}, ${colorScheme}, ${size.width} px`)
    }
  }
  await own.page.goto('/dashboard/account')
  for (const [title] of ownPages) {
    await own.page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
    await check(own.page, title)
  }
  for (const [title, path] of publicPages) {
    const { page } = path.startsWith('/dashboard') ? own : stranger
    // Navigating to an address that differs only in its fragment would not load the page.
    if (path.includes('#')) await page.goto('about:blank')
    await page.goto(path)
    await check(page, title)
  }
  assert.deepEqual([...own.complaints, ...stranger.complaints], [])
  assert.deepEqual([...own.foreign, ...stranger.foreign], [])
  await own.context.close()
  await stranger.context.close()
})

/** The elements of a dialog that the keyboard reaches, in order. */
const stops = '[role=dialog] :is(a[href], button, input, select, textarea, [tabindex="0"]):not(:disabled)'

t.test('dialogs are accessible, trap the focus, and return it to the element that opened them', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await page.goto('/dashboard/keys')
  for (const action of ['Create key', 'Edit', 'Rotate', 'Revoke']) {
    const opener = page.getByRole('button', { name: action }).first()
    await opener.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await accessibilityProblems(page), [], `${action}, ${colorScheme}`)
    }
    assert.ok(
      await page.evaluate('document.querySelector("[aria-live]").closest("[inert], [aria-hidden=true]") === null'),
      'toasts are announced'
    )
    const [first, last] = [page.locator(stops).first(), page.locator(stops).last()]
    await last.focus()
    await page.keyboard.press('Tab')
    await first.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Shift+Tab')
    await last.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await opener.and(page.locator(':focus')).waitFor()
  }
  await context.close()
})

t.test('text from users is never rendered as HTML', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system, { person: ada })
  page.on('dialog', (dialog) => complaints.push(dialog.message()))
  await page.goto('/dashboard/usage?by=key')
  for (const title of ['Usage', 'Keys', 'Audit log', 'Team', 'Overview']) {
    const link = page.getByRole('navigation').getByRole('link', { name: title, exact: true })
    if (title !== 'Usage') await link.click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await page.getByRole('main').getByText(hostile).filter({ visible: true }).first().waitFor()
    assert.equal(await page.locator('main img').count(), 0, title)
  }
  assert.deepEqual(complaints, [])
  await context.close()
})

/** Advances the clock past the automatic retries, until the given number of parts show an error. */
async function untilFailed(page: Page, parts: number): Promise<void> {
  const failures = page.getByRole('button', { name: 'Try again' })
  const deadline = performance.now() + 10_000
  while ((await failures.count()) < parts && performance.now() < deadline) await page.clock.fastForward(1000)
}

t.test('a part that cannot be loaded says so, and loads after a retry', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  let isCut = true
  // Only the calls for the signed-in user and the account succeed.
  await context.route(/\/api\/(?!auth\/me|account)/, (route) => (isCut ? route.abort() : route.continue()))
  await page.clock.install()
  const failures = page.getByRole('alert').filter({ hasText: 'The server cannot be reached' })
  const again = page.getByRole('button', { name: 'Try again' })
  for (const [title, path, parts] of ownPages) {
    isCut = true
    // Loading the page anew clears the cache, so that every part has to be fetched.
    if (parts > 0) await page.goto(path)
    else await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await untilFailed(page, parts)
    assert.equal(await failures.count(), parts, `${title}: each part shows an error`)
    isCut = false
    for (let left = parts; left > 0; left--) {
      await again.first().click()
      await again.nth(left - 1).waitFor({ state: 'detached' })
    }
    assert.equal(await page.getByRole('alert').count(), 0, `${title} shows no error after the retries`)
  }
  await context.close()
})

t.test('a page that cannot be shown says why, and can be retried', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await context.route('**/api/auth/me', (route) => route.fulfill({ status: 503, body: 'not ours' }))
  await page.goto('/dashboard')
  await page.getByText('This could not be loaded').waitFor()
  await context.unroute('**/api/auth/me')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  // A page whose code cannot be loaded.
  await context.setOffline(true)
  await page.getByRole('navigation').getByRole('link', { name: 'Billing' }).click()
  await page.getByText('The server cannot be reached').waitFor()
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
  await context.close()
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

t.test('the first page is small', async (t) => {
  if (browser === null) return
  for (const [path, title, person] of [
    ['/login', 'Sign in', undefined],
    ['/dashboard', 'Overview', ada]
  ] as const) {
    const { page, context } = await visit(browser, system, person === undefined ? {} : { person })
    const requests: Request[] = []
    page.on('requestfinished', (request) => requests.push(request))
    const startedAt = performance.now()
    await page.goto(path)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    const shownMs = Math.round(performance.now() - startedAt)
    await page.waitForLoadState('networkidle')
    const sizes = await Promise.all(requests.map((request) => request.sizes()))
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
    t.comment(`${path}: ${bytes} bytes in ${sizes.length} responses, shown after ${shownMs} ms`)
    assert.ok(bytes <= maxBytes, `${path}: ${bytes} bytes`)
    await context.close()
  }
})

t.test('navigation moves the focus to the page title, and closing the menu returns it to its button', async () => {
  if (browser === null) return
  for (const width of [360, 1280]) {
    const { page, context } = await visit(browser, system, { person: ada, viewport: { width, height: 800 } })
    await page.goto('/dashboard')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    const menu = page.getByRole('button', { name: 'Menu', exact: true })
    const focused = page.locator(':focus')
    // The last page is cached and shown at once.
    for (const name of ['Usage', 'Team', 'Usage']) {
      if (width === 360) await menu.click()
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, level: 1 }).and(focused).waitFor()
    }
    if (width === 360) {
      const closing = [
        page.getByRole('button', { name: 'Close menu' }),
        page.getByRole('navigation').getByRole('link', { name: 'Usage', exact: true })
      ]
      for (const button of closing) {
        await menu.click()
        await button.click()
        await menu.and(focused).waitFor()
      }
    }
    await context.close()
  }
})

t.test('a key is created and rotated only once, even if the response is lost', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  let isLost = true
  let untilLost = Promise.resolve()
  await context.route(/\/api\/keys(\/[^/]+\/rotate)?$/, async (route) => {
    if (route.request().method() !== 'POST' || !isLost) return route.continue()
    await route.fetch()
    isLost = false
    await untilLost
    return route.abort()
  })
  const focused = () =>
    page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.name')
  const dialog = page.getByRole('dialog')
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByLabel('Label').fill('made once')
  await dialog.getByRole('button', { name: 'Add pair' }).click()
  assert.equal(await focused(), 'Name of pair 1')
  await dialog.getByRole('button', { name: 'Remove pair 1' }).click()
  assert.ok(await dialog.getByRole('button', { name: 'Add pair' }).and(page.locator(':focus')).isVisible())
  await page.getByLabel('Only selected models').check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Choose at least one model').waitFor()
  assert.equal(await focused(), 'models', 'the invalid field has the focus')
  await page.getByLabel('All models in the plan').check()
  await dialog.getByLabel('Expires after').focus()
  await page.keyboard.type('12')
  await page.keyboard.press('Enter')
  await page.getByText('Enter a complete date, or leave the field empty.').waitFor()
  await dialog.getByLabel('Expires after').fill('2040-01-01')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('The server cannot be reached').waitFor()
  await dialog.getByLabel('Label').fill('made once, named twice')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  assert.match(String(await page.locator('[data-secret]').textContent()), /^tg_/)
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('heading', { name: 'made once, named twice' }).waitFor()
  assert.equal(await page.getByRole('heading', { name: 'made once' }).count(), 1)

  isLost = true
  const { promise, resolve: lose } = Promise.withResolvers<void>()
  untilLost = promise
  await page.getByRole('button', { name: 'Rotate made once' }).click()
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  await page.keyboard.press('Escape')
  lose()
  // Escape did not close the dialog, because the rotation was running.
  await dialog.getByText('The server cannot be reached').waitFor()
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  await page.getByText('but the value was lost on its way to you').waitFor()
  await dialog.getByRole('button', { name: 'Rotate again' }).click()
  assert.match(String(await page.locator('[data-secret]').textContent()), /^tg_/)
  await context.close()
})

t.test('a change that is not active yet says so until it is active', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system, { person: ada })
  const { key } = (await ada.createKey('waits')).body
  const pending = { error: { message: 'It waits.', type: 'gateway_error', code: 'change_pending' } }
  // Simulates control without Redis: changes are stored, but not active yet.
  let isCut = true
  await context.route(new RegExp(`/api/(account|keys/${key.id}(/rotate)?)$`), async (route) => {
    const response = await route.fetch()
    if (!isCut || !response.ok()) return route.fulfill({ response })
    const method = route.request().method()
    if (method === 'PATCH') return route.fulfill({ status: 503, headers: { 'retry-after': '2' }, json: pending })
    if (!route.request().url().includes('/keys/')) return route.fulfill({ response })
    const body = await response.json()
    const json = { key: { ...body.key, in_force: false } }
    return route.fulfill({ status: method === 'POST' ? 202 : 200, json })
  })
  const dialog = page.getByRole('dialog')
  const saved = page.getByRole('status').filter({ hasText: 'Saved, but not active yet' })
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Rotate waits' }).click()
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  assert.match(String(await page.locator('[data-secret]').textContent()), /^tg_/, 'the value is shown nevertheless')
  await dialog.getByRole('status').filter({ hasText: 'The new value is not active yet' }).waitFor()
  await dialog.getByText('the old value may still work').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await accessibilityProblems(page), [], `waiting, ${colorScheme}`)
  }
  isCut = false
  await dialog.getByRole('status').filter({ hasText: 'The new value is active' }).waitFor()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()

  isCut = true
  await page.getByRole('button', { name: 'Edit waits' }).click()
  await dialog.getByLabel('Rate limit').fill('3')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.locator(saved).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'saved, not active')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.locator(saved).waitFor()
  isCut = false
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Key saved.').waitFor()
  assert.ok(await page.getByText('3/min').isVisible())

  isCut = true
  await page.getByRole('navigation').getByRole('link', { name: 'Account', exact: true }).click()
  await page.getByLabel('Budget per month').fill('5')
  await page.getByRole('button', { name: 'Save budget' }).click()
  await saved.waitFor()
  isCut = false
  await page.getByRole('button', { name: 'Save budget' }).click()
  await page.getByText('Your budget applies now.').waitFor()
  await saved.waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
  await ada.call('PATCH', '/api/account', { monthly_budget_usd: null })
  await context.close()
})

t.test('a partly loaded list does not claim to be empty', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  const { body } = await ada.listKeys()
  let isCut = true
  await page.clock.install()
  await context.route(/\/api\/keys\?/, (route) => {
    const isFirst = !route.request().url().includes('cursor')
    if (isCut && !isFirst) return route.abort()
    return route.fulfill({ json: isFirst ? { keys: body.keys, next_cursor: 'more' } : { keys: [], next_cursor: null } })
  })
  await page.goto('/dashboard/keys')
  await page.getByLabel('Filter by label').fill('nothing like it')
  await page.getByText('Searching').waitFor()
  await untilFailed(page, 1)
  await page.getByText('No matching key so far').waitFor()
  isCut = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No matching keys', { exact: true }).waitFor()
  await page.getByLabel('Filter by label').fill('')
  await page.getByRole('list', { name: 'Keys' }).waitFor()

  await context.route(/\/api\/keys\?/, (route) => route.abort())
  await page.clock.fastForward(60_000)
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))')
  await untilFailed(page, 1)
  await page.getByRole('alert').getByText('This could not be refreshed and may be out of date.').waitFor()
  assert.ok(await page.getByRole('list', { name: 'Keys' }).isVisible(), 'the loaded keys are still shown')
  await context.close()
})

t.test('waiting for a paid plan ends with an explanation, and can be resumed', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await page.clock.install()
  await page.goto('/dashboard/billing?success=1')
  await page.getByText('Your new plan is being set up').waitFor()
  await page.clock.fastForward(61_000)
  await page.getByText('Your plan is not active yet').waitFor()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Your new plan is being set up').waitFor()
  await context.close()
})

t.test('the generated API types match the API', async () => {
  if (browser === null) return
  const response = await fetch(`${system.addresses.control}/api/openapi.json`)
  const types = readFileSync(new URL(import.meta.resolve('@tollgate/dashboard/api/operations.ts')), 'utf8')
  assert.equal(writeApiTypes((await response.json()) as OpenApiDocument), types, 'run build/write-api-types.ts')
})
