import assert from 'node:assert/strict'
import type { AdminSystemResponse } from '@tollgate/contracts/http/admin/system.ts'
import t from 'tap'
import { Person } from '../../person.ts'
import { checkPage } from '../check-page.ts'
import { operatorPages } from '../pages.ts'
import { untilFailed, untilLoaded, untilRecovered } from '../use-page.ts'
import { browser, openWorld, system } from '../world.ts'
import { visitAsOperator } from './world.ts'

t.before(() => openWorld(t))

const wide = { width: 1280, height: 900 }

t.test('every page and dialog of operators is accessible and fits narrow screens', async () => {
  if (browser === null) return
  const carla = await new Person(system, 'carla').join('pro')
  await carla.createKey('Production')
  const { page, context, complaints, foreign } = await visitAsOperator({ viewport: wide })
  await page.goto('/dashboard/operator')
  for (const title of operatorPages) {
    await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await untilLoaded(page)
    await checkPage(page, title, title === 'Money' ? { alsoDark: wide } : {})
  }
  await page.goto(`/dashboard/operator/accounts?q=${encodeURIComponent(carla.email)}`)
  await page.getByRole('link', { name: carla.email }).click()
  await page.getByRole('heading', { name: carla.email, level: 1 }).waitFor()
  await checkPage(page, 'an account', { alsoDark: wide })
  for (const action of ['Suspend account', 'Change plan', 'Set limits', 'Adjust usage', 'Delete account']) {
    const opener = page.getByRole('button', { name: action })
    await opener.press('Enter')
    await page.getByRole('dialog').waitFor()
    await checkPage(page, action)
    await page.keyboard.press('Escape')
    await opener.and(page.locator(':focus')).waitFor()
  }
  await page.getByRole('main').getByRole('link', { name: 'Requests', exact: true }).click()
  await page.getByText('Requests with the keys of this account will appear here.').waitFor()
  await checkPage(page, 'an account without requests')
  assert.deepEqual([...complaints, ...foreign], [])
  await context.close()
})

t.test('the system page names a problem, and refreshes while it is visible', async () => {
  if (browser === null) return
  const { page, context } = await visitAsOperator()
  let isOld = true
  await context.route('**/api/admin/system', async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as AdminSystemResponse
    if (isOld) for (const gateway of json.system.gateways) gateway.catalog_version = 0
    return route.fulfill({ response, json })
  })
  await page.clock.install()
  await page.goto('/dashboard/operator/system')
  const problem = page.getByText('2 gateways use an older catalog')
  await page.getByRole('list', { name: 'Problems' }).and(page.locator(':has-text("older catalog")')).waitFor()
  isOld = false
  await page.clock.fastForward(10_000)
  await problem.waitFor({ state: 'detached' })
  await context.close()
})

t.test('a page of operators that cannot be loaded says so, and loads on its own later', async () => {
  if (browser === null) return
  const { page, context } = await visitAsOperator()
  let isCut = true
  await context.route('**/api/admin/**', (route) => (isCut ? route.abort() : route.continue()))
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
