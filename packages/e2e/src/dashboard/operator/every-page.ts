import assert from 'node:assert/strict'
import t from 'tap'
import { checkPage } from '../check-page.ts'
import { untilFailed } from '../until-failed.ts'
import { untilLoaded } from '../until-loaded.ts'
import { untilRecovered } from '../until-recovered.ts'
import { browser } from '../world.ts'
import { operatorPages } from './pages.ts'
import { customer, visitAsOperator } from './world.ts'

const wide = { width: 1280, height: 900 }

t.test('every page and dialog of operators is accessible, and fits narrow and wide screens', async () => {
  if (browser === null) return
  const { page, context, admin, complaints, foreign } = await visitAsOperator({ viewport: wide })
  await page.goto('/dashboard/operator')
  for (const title of operatorPages) {
    await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await untilLoaded(page)
    await checkPage(page, title, wide)
  }
  await page.goto(`/dashboard/operator/accounts/${admin.accounts[0]!.id}`)
  await page.getByRole('heading', { name: customer.email, level: 1 }).waitFor()
  await checkPage(page, 'an account', wide)
  for (const action of ['Suspend account', 'Change plan', 'Set limits', 'Adjust usage', 'Delete account']) {
    const opener = page.getByRole('button', { name: action })
    await opener.press('Enter')
    await page.getByRole('dialog').waitFor()
    await checkPage(page, action, wide)
    await page.keyboard.press('Escape')
    await opener.and(page.locator(':focus')).waitFor()
  }
  await page.getByRole('main').getByRole('link', { name: 'Requests', exact: true }).click()
  await page.getByText('Requests with the keys of this account will appear here.').waitFor()
  await checkPage(page, 'an account without requests', wide)
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
