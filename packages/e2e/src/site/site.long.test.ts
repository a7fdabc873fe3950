import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import type { Page } from 'playwright-core'
import t from 'tap'
import { launchBrowser, visit } from '../dashboard/browser.ts'
import { accessibilityProblems, checkPage } from '../dashboard/check-page.ts'
import { pay } from '../dashboard/use-page.ts'
import { Person } from '../person.ts'
import { sharedSystem } from '../start-test-system.ts'
import { sitePages } from './site-pages.ts'

const system = await sharedSystem()
const browser = await launchBrowser()
t.teardown(() => browser?.close())

const widths = [390, 768, 1280, 1920]

t.test('every page is accessible, fits every width in both themes, and names only the operator', async () => {
  if (browser === null) return
  const { page, context, complaints, foreign } = await visit(browser, system)
  for (const [title, path] of sitePages) {
    await page.goto(path)
    await page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor()
    await checkPage(page, title, { alsoDark: { width: 1920, height: 900 } })
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(overflow <= 0, `${path} fits ${width} px`)
    }
  }
  assert.deepEqual(complaints, [])
  assert.deepEqual(foreign, [])
  await context.close()
})

t.test('without scripts, code, prices and filters can be chosen, and every page is accessible', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { javaScriptEnabled: false })
  await page.goto('/')
  const code = page.getByRole('region', { name: 'Code' })
  assert.match(String(await code.textContent()), /^curl /)
  await page.getByText('Python', { exact: true }).click()
  assert.match(String(await code.textContent()), /^from openai import/)
  await page.getByText('$20', { exact: true }).waitFor()
  await page.getByText(/^Yearly/).click()
  await page.getByText('$200', { exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0)
  await page.getByRole('link', { name: 'Models', exact: true }).first().click()
  await page.getByLabel('Kind').selectOption('embedding')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/kind=embedding/)
  const rows = page.locator('tbody tr:visible')
  const count = await rows.count()
  assert.ok(count > 0 && count < 10, `${count} rows`)
  await page.getByRole('link', { name: 'Input', exact: true }).click()
  await page.waitForURL(/sort=input/)
  assert.equal(await rows.count(), count)
  await context.close()
})

t.test('with scripts, the table filters and sorts at once, and the address can be shared', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system)
  await page.goto('/models')
  assert.equal(await page.getByRole('button', { name: 'Filter' }).count(), 0)
  await page.getByLabel('Search models').fill('gemini flash')
  const rows = page.locator('tbody tr:visible')
  await page.getByText(/^\d+ of \d+ models$/).waitFor()
  const names = () => rows.locator('td:first-child a').allTextContents()
  assert.ok((await names()).every((name) => /gemini.*flash/.test(name)))
  await page.getByRole('link', { name: 'Output', exact: true }).click()
  const upwards = await names()
  await page.getByRole('link', { name: 'Output', exact: true }).click()
  assert.deepEqual(await names().then((all) => all.at(-1)), upwards[0])
  assert.match(page.url(), /\/models\?q=gemini\+flash&sort=-output$/)
  const sorted = await names()
  await page.reload()
  assert.deepEqual(await names(), sorted)
  await page.getByLabel('Search models').fill('nothing like this')
  await page.getByText('No model matches.').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.goto('/models')
  await page.getByLabel('Plan').selectOption('free')
  await page.getByText('10 of 64 models').waitFor()
  // A narrow page has no room for all columns to press.
  await page.setViewportSize({ width: 390, height: 900 })
  await page.getByLabel('Order').selectOption('-context')
  assert.match(page.url(), /\/models\?plan=free&sort=-context$/)
  const byContext = await names()
  await page.reload()
  assert.deepEqual(await names(), byContext)
  const { height } = (await rows.first().getByRole('link').boundingBox())!
  assert.ok(height >= 24, `a link is ${height} px high`)
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('the keyboard reaches the content first, and chooses a language', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system)
  await page.goto('/')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content')
  await page.keyboard.press('Enter')
  const curl = page.getByRole('radio', { name: 'curl' })
  for (let presses = 0; presses < 10; presses++) {
    await page.keyboard.press('Tab')
    if (await curl.evaluate((input) => input === input.ownerDocument.activeElement)) break
  }
  await page.keyboard.press('ArrowRight')
  assert.match(String(await page.getByRole('region', { name: 'Code' }).textContent()), /^from openai import/)
  await context.close()
})

t.test('a visitor registers by one click, and the link of a mail goes on to the sign-in page', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system)
  await page.goto('/')
  await page.getByRole('main').getByRole('link', { name: 'Get started' }).first().click()
  await page.getByRole('heading', { name: 'Create an account' }).waitFor()
  await page.goto('/#token_hash=0&type=recovery')
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
  await context.close()
})

t.test('each page loads at most 100 kB, with its font, style and script', async () => {
  if (browser === null) return
  for (const [title, path] of sitePages) {
    const { page, context } = await visit(browser, system)
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    let bytes = 0
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await page.goto(path, { waitUntil: 'networkidle' })
    assert.ok(bytes <= 100_000, `${title}: ${bytes} bytes`)
    await context.close()
  }
})

t.test('the search finds an error from any page: by Ctrl-K, and without scripts', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system)
  await page.goto('/pricing')
  await page.keyboard.press('Control+k')
  await page.getByRole('searchbox', { name: 'Search' }).fill('key_budget')
  await page.getByRole('link', { name: /^key_budget_exceeded/ }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'key_budget_exceeded', level: 1 }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
  const plain = await visit(browser, system, { javaScriptEnabled: false })
  await plain.page.goto('/docs')
  await plain.page.getByLabel('Search the docs').fill('key_budget')
  await plain.page.keyboard.press('Enter')
  await plain.page.getByRole('link', { name: 'key_budget_exceeded' }).click()
  await plain.page.getByRole('heading', { name: 'key_budget_exceeded', level: 1 }).waitFor()
  await plain.context.close()
})

t.test('signed-in readers of the docs write their model and their key into the examples', async () => {
  if (browser === null) return
  const ada = await new Person(system, 'ada').join()
  const { page, context, complaints } = await visit(browser, system, { person: ada })
  await page.goto('/dashboard')
  await page.getByRole('navigation').getByRole('link', { name: 'Docs', exact: true }).click()
  const code = page.locator('article pre').first()
  const models = page.getByLabel('Model')
  await models.waitFor()
  const names = await models.locator('option').allTextContents()
  assert.ok(names.length > 1 && names.length < 20, 'the models of the free plan')
  await models.selectOption(names.at(-1)!)
  await page.getByLabel('API key').fill('tg_mine')
  const text = String(await code.textContent())
  assert.ok(text.includes(`"model": "${names.at(-1)}"`) && text.includes('Bearer tg_mine"'), text)
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.goto('/docs/api/models/createChatCompletion')
  await page.getByText('Bearer tg_mine').waitFor()
  // Another tab says that somebody signed out.
  const other = await context.newPage()
  await other.goto('/docs')
  await other.evaluate("new BroadcastChannel('session').postMessage(null)")
  await page.getByText('Bearer YOUR_API_KEY').waitFor()
  assert.equal(await page.evaluate('sessionStorage.length'), 0)
  assert.deepEqual(complaints, [])
  await context.close()
  const stranger = await visit(browser, system)
  await stranger.page.goto('/docs')
  assert.equal(await stranger.page.getByLabel('API key').count(), 0)
  await stranger.context.close()
})

t.test('from the landing page to the first answer: five clicks, two fields, one paste', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/')
  await page.getByRole('link', { name: 'Get started' }).first().click()
  await createKeyAndCall(await register(page))
  await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('a chosen plan is kept through registration until it is paid', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system)
  await page.goto('/pricing')
  await page.getByText(/^Yearly/).click()
  await page.getByRole('link', { name: 'Start with Pro' }).click()
  await page.getByText('You chose Pro, $200 a year. First create your account, then pay.').waitFor()
  const opened = await register(page)
  await opened.getByRole('heading', { name: 'You chose Pro, $200 a year' }).waitFor()
  await opened.locator('button:focus', { hasText: 'Pay for Pro' }).waitFor()
  assert.deepEqual(await accessibilityProblems(opened), [])
  await opened.getByRole('button', { name: 'Pay for Pro' }).click()
  await opened.waitForURL((url) => url.origin === system.addresses.payments)
  await pay(opened)
  await opened.getByText('You are now on the Pro plan').waitFor()
  await opened.getByRole('link', { name: 'Create your first key' }).click()
  await opened.getByRole('dialog', { name: 'Create a key' }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('with a provider’s sign-in: three clicks, no field', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/')
  await page.getByRole('link', { name: 'Continue with GitHub' }).first().click()
  // The page of the provider, which knows the person.
  await page.getByLabel('E-mail address').fill(`ada-${crypto.randomUUID().slice(0, 8)}@example.com`)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await createKeyAndCall(page)
  assert.deepEqual(complaints, [])
  await context.close()
})

/**
 * Fills in the page of a registration, and clicks the link in its mail.
 *
 * @returns the tab of the same browser that the link opens. It asks for nothing
 */
async function register(page: Page): Promise<Page> {
  const email = `ada-${crypto.randomUUID().slice(0, 8)}@example.com`
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor()
  const opened = await page.context().newPage()
  await opened.goto(String(linkIn(await latestMail(system.addresses.mailbox!, email))))
  return opened
}

/** Two clicks and a paste, from the page of the first key on. */
async function createKeyAndCall(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.locator('[data-secret]').waitFor()
  await dialog.getByRole('button', { name: 'Copy the curl snippet' }).click()
  const command = await page.evaluate<string>('navigator.clipboard.readText()')
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  assert.match(stdout, /"choices":/)
  await dialog.getByText(/^It worked: .*, cost \$0\.0/).waitFor()
}
