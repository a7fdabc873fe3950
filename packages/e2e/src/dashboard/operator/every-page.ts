import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkBrand } from '../brand.ts'
import { accessibilityProblems } from '../check-accessibility.ts'
import { untilFailed } from '../until-failed.ts'
import { untilRecovered } from '../until-recovered.ts'
import { browser } from '../world.ts'
import { operatorPages } from './pages.ts'
import { customer, visitAsOperator } from './world.ts'

const wide = { width: 1280, height: 900 }
const narrow = { width: 360, height: 740 }

/** Themes differ only in colours, so two of the four combinations suffice. */
async function check(page: Page, title: string): Promise<void> {
  await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
  await checkBrand(page, title)
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

t.test('every page and dialog of operators is accessible, and fits narrow and wide screens', async () => {
  if (browser === null) return
  const { page, context, admin, complaints, foreign } = await visitAsOperator({ viewport: wide })
  await page.goto('/dashboard/operator')
  for (const title of operatorPages) {
    await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await page.getByText('Loading…').first().waitFor({ state: 'detached' })
    await check(page, title)
  }
  await page.goto(`/dashboard/operator/accounts/${admin.accounts[0]!.id}`)
  await page.getByRole('heading', { name: customer.email, level: 1 }).waitFor()
  await check(page, 'an account')
  for (const action of ['Suspend account', 'Change plan', 'Set limits', 'Adjust usage', 'Delete account']) {
    const opener = page.getByRole('button', { name: action })
    await opener.press('Enter')
    await page.getByRole('dialog').waitFor()
    await check(page, action)
    await page.keyboard.press('Escape')
    await opener.and(page.locator(':focus')).waitFor()
  }
  assert.deepEqual([...admin.violations, ...complaints, ...foreign], [])
  await context.close()
})

t.test('the system page names problems in words, and refreshes while it is visible', async () => {
  if (browser === null) return
  const { page, context, admin } = await visitAsOperator()
  await page.clock.install()
  await page.goto('/dashboard/operator/system')
  const problems = page.getByRole('list', { name: 'Problems' })
  await problems.getByText('2 gateways use an older catalog').waitFor()
  await problems.getByText('The upstream mistral fails at 1 of 3 gateways').waitFor()
  for (const gateway of admin.system.gateways) Object.assign(gateway, { catalog_version: 12, upstreams: [] })
  admin.system.webhooks = []
  await page.clock.fastForward(10_000)
  await page.getByText('No problems found').waitFor()
  await context.close()
})

t.test('a page of operators that cannot be loaded says so, and loads on its own later', async () => {
  if (browser === null) return
  const { page, context } = await visitAsOperator()
  let isCut = true
  await context.route('**/api/admin/**', (route) => (isCut ? route.abort() : route.fallback()))
  await page.clock.install()
  await page.goto('/dashboard/operator/accounts')
  for (const title of operatorPages) {
    isCut = true
    await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    // This page loads nothing.
    if (title === 'Leaked key') continue
    await untilFailed(page, 1)
    isCut = false
    await untilRecovered(page)
    assert.equal(await page.getByRole('alert').count(), 0, `${title} shows no error any more`)
  }
  await context.close()
})
