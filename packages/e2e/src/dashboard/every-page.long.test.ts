import assert from 'node:assert/strict'
import type { Page, Request } from 'playwright-core'
import t from 'tap'
import type { Person } from '../person.ts'
import { visit } from './browser.ts'
import { checkPage } from './check-page.ts'
import { ownPages, publicPages } from './pages.ts'
import { untilFailed, untilLoaded, untilLogged, untilRecovered } from './use-page.ts'
import { browser, deadReceiver, hostile, joinAda, openWorld, system } from './world.ts'

let ada: Person
t.before(async () => {
  await openWorld(t)
  if (browser !== null) ada = await joinAda()
})

t.test(
  'every page is accessible, fits narrow screens and names the operator, and each layout also in the dark and wide',
  async () => {
    if (browser === null) return
    const wide = { width: 1920, height: 900 }
    const own = await visit(browser, system, { person: ada, viewport: wide })
    const stranger = await visit(browser, system, { viewport: wide })
    /** Titles of one page for each layout. */
    const layouts = new Set(['Sign in', 'Overview', 'Keys', 'Playground', 'Usage', 'Account', 'Request'])
    const check = async (page: Page, title: string) => {
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await untilLoaded(page)
      // Where no tooltip opens at another size of the page.
      await page.mouse.move(0, 0)
      await checkPage(page, title, layouts.delete(title) ? { alsoDark: wide } : {})
    }
    await own.page.goto('/dashboard/account')
    for (const [title] of ownPages) {
      await own.page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
      await check(own.page, title)
    }
    await own.page.goto('/dashboard/keys')
    await own.page.getByRole('main').getByRole('row').getByRole('link').first().click()
    await own.page.getByRole('heading', { name: 'Latest requests' }).waitFor()
    await check(own.page, hostile)
    await own.page.goto('/dashboard/webhooks')
    await own.page.getByRole('link', { name: deadReceiver }).click()
    await check(own.page, 'Webhook endpoint')
    await own.page.goto(`/dashboard/requests/${(await untilLogged(ada)).id}`)
    await check(own.page, 'Request')
    await own.page.getByRole('button', { name: /^Notices/ }).click()
    await own.page.getByRole('dialog').getByText('was created').first().waitFor()
    await check(own.page, 'Request')
    await own.page.goto('/dashboard/nowhere')
    await own.page.getByRole('navigation').getByRole('link', { name: 'Keys', exact: true }).waitFor()
    for (const [title, path] of publicPages) {
      const { page } = path.startsWith('/dashboard') ? own : stranger
      // Navigating to an address that differs only in its fragment would not load the page.
      if (path.includes('#')) await page.goto('about:blank')
      await page.goto(path)
      await check(page, title)
    }
    assert.deepEqual([...layouts], [])
    assert.deepEqual([...own.complaints, ...stranger.complaints], [])
    assert.deepEqual([...own.foreign, ...stranger.foreign], [])
    await own.context.close()
    await stranger.context.close()
  }
)

t.test('text from users is never rendered as HTML', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system, { person: ada })
  page.on('dialog', (dialog) => complaints.push(dialog.message()))
  await page.goto('/dashboard/usage?by=key')
  for (const title of ['Usage', 'Keys', 'Audit log', 'Team', 'Notices', 'Webhooks', 'Requests', 'Overview']) {
    const link = page.getByRole('navigation').getByRole('link', { name: title, exact: true })
    if (title !== 'Usage') await link.click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await page.getByRole('main').getByText(hostile).filter({ visible: true }).first().waitFor()
    assert.equal(await page.locator('main img').count(), 0, title)
  }
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('a part that cannot be loaded says so, and loads on its own later', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  let isCut = true
  // Only the calls for the signed-in user and the account succeed.
  await context.route(/\/api\/(?!auth\/me|account$)/, (route) => (isCut ? route.abort() : route.continue()))
  await page.clock.install()
  const failures = page.getByRole('alert').filter({ hasText: 'The server cannot be reached' })
  for (const [title, path, parts] of ownPages) {
    isCut = true
    // Loading the page anew clears the cache, so that every part has to be fetched.
    if (parts > 0) await page.goto(path)
    else await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await untilFailed(page, parts)
    assert.equal(await failures.count(), parts, `${title}: each part shows an error`)
    isCut = false
    await untilRecovered(page)
    assert.equal(await page.getByRole('alert').count(), 0, `${title} shows no error any more`)
  }
  await context.close()
})

t.test('the first page is small', async (t) => {
  if (browser === null) return
  for (const [path, title, person, maxBytes] of [
    ['/login', 'Sign in', undefined, 120_000],
    ['/dashboard', 'Overview', ada, 205_000]
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
