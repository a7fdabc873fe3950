import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { accessibilityProblems, checkBrand } from './check-page.ts'
import { browser, joinAda, openWorld, system } from './world.ts'

let ada: Person
t.before(async () => {
  await openWorld(t)
  if (browser !== null) ada = await joinAda()
})

t.test('the API reference shows both APIs, and the calls of operators only to operators', async () => {
  if (browser === null) return
  const olga = await new Person(system, 'olga').joinAsOperator()
  for (const person of [ada, olga]) {
    const { page, context, complaints, foreign } = await visit(browser, system, {
      person,
      viewport: { width: 1920, height: 900 }
    })
    await page.goto('/dashboard/docs/api')
    const frame = page.frameLocator('iframe[title="API reference"]')
    await frame.getByRole('link', { name: 'Answer a conversation, as a whole or as a stream' }).first().waitFor()
    await frame.getByRole('button', { name: 'Models: the gateway' }).click()
    await frame.getByText('Your account', { exact: true }).last().click()
    await frame.getByRole('link', { name: 'Keys', exact: true }).first().waitFor()
    const ofOperators = await frame.getByRole('link', { name: 'Operators', exact: true }).count()
    assert.equal(ofOperators > 0, person === olga)
    assert.deepEqual(complaints, [])
    assert.deepEqual(foreign, [])
    await context.close()
  }
})

t.test('the API reference is accessible, names the operator, and follows the chosen theme', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada, colorScheme: 'light' })
  await page.goto('/dashboard/docs/api')
  const frame = page.frameLocator('iframe[title="API reference"]')
  await frame.locator('body.light-mode').waitFor()
  await page.getByRole('button', { name: 'Dark', exact: true }).click()
  await frame.locator('body.dark-mode').waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  await checkReference(page)
  await page.evaluate('localStorage.removeItem("theme")')
  await page.setViewportSize({ width: 1920, height: 900 })
  await checkReference(page)
  await context.close()
})

/** Opens the reference as a page of its own, and checks it. @throws AssertionError */
async function checkReference(page: Page): Promise<void> {
  await page.goto('/api/reference?customers')
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await checkBrand(page, 'API reference')
  assert.deepEqual(await accessibilityProblems(page), [])
}
