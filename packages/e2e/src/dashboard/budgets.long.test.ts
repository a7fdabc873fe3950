import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { Person } from '../person.ts'
import { chatOutcome, openaiClient } from '../start-test-system.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { browser, joinAda, openWorld, system } from './world.ts'

let ada: Person
t.before(async () => {
  await openWorld(t)
  if (browser !== null) ada = await joinAda()
})

/** Chooses an option of one row of budgets. */
async function chooseIn(row: Locator, page: Page, label: string, option: string): Promise<void> {
  await row.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

const barsOf = (page: Page) => page.getByRole('list', { name: 'Budgets' })

t.test('a key gets budgets, refuses what exceeds one, shows what is used of each, and loses them', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system, { person: ada })
  const { key } = (await ada.createKey('by the day')).body
  const ask = () => chatOutcome(openaiClient(system.addresses.gateway, key.value))
  const [dialog, bars] = [page.getByRole('dialog'), barsOf(page)]
  const edit = () => page.getByRole('button', { name: 'Edit' }).click()
  const save = async () => {
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await page.goto(`/dashboard/keys/${key.id}`)
  await page.getByText('this month, without a budget of its own').waitFor()
  await edit()
  await dialog.getByLabel('Monthly budget').fill('50')
  await dialog.getByRole('button', { name: 'Add budget' }).click()
  const [first, second] = [1, 2].map((place) => dialog.getByRole('group', { name: `Budget ${place}`, exact: true }))
  await first!.getByLabel('Limit').and(page.locator(':focus')).waitFor()
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await first!.getByText('Enter an amount from 0 to 1,000,000, or remove this budget.').waitFor()
  await first!.getByLabel('Limit').fill('0.000001')
  await dialog.getByRole('button', { name: 'Add budget' }).click()
  await second!.getByLabel('Limit').fill('20')
  await chooseIn(second!, page, 'Resets', 'Every month')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await second!.getByText('For all models and a month, use “Monthly budget” instead.').waitFor()
  await chooseIn(second!, page, 'Resets', 'Never')
  await chooseIn(second!, page, 'Models', 'Only selected models')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await second!.getByText('Choose at least one model, or count all models.').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'rows with problems')
  await second!.getByLabel('gpt-4o-mini').check()
  await save()
  await bars.getByText('Monthly budget').waitFor()
  await bars.getByText('Never resets.').waitFor()
  await bars.getByRole('meter', { name: 'Lifetime budget, gpt-4o-mini' }).waitFor()
  assert.equal(await ask(), '402 budget_exceeded')
  await page.goto('/dashboard')
  await page
    .getByRole('list', { name: 'Keys that refuse requests' })
    .getByRole('listitem')
    .filter({ hasText: 'by the day' })
    .getByRole('link', { name: 'See the key' })
    .click()
  await page.getByText('the smallest refused request needs').waitFor()

  await page.getByRole('button', { name: 'Raise its budget' }).click()
  await first!.getByLabel('Limit').fill('5')
  await save()
  assert.equal(await ask(), '200')
  await page.reload()
  const daily = bars.getByRole('listitem').filter({ hasText: 'Daily budget' })
  await daily.getByText(/^\$0\.00\d+ spent, \$0\.00 reserved, \$\d\.\d+ left$/).waitFor()
  await daily.getByText(/^Resets on .+ \(UTC\)\.$/).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'bars')

  // Simulates control without Redis.
  await page.route(`**/api/keys/${key.id}`, async (route) => {
    const response = await route.fetch()
    const { key: told } = await response.json()
    const budgets = told.budgets.map((budget: object) => ({ ...budget, use: null }))
    await route.fulfill({ response, json: { key: { ...told, budgets } } })
  })
  await page.reload()
  await daily.getByText('What is used cannot be read right now.').waitFor()
  await daily.getByText('$5.00', { exact: true }).waitFor()
  await page.unroute(`**/api/keys/${key.id}`)

  await edit()
  await dialog.getByRole('button', { name: 'Remove budget 1' }).click()
  await first!.getByLabel('Limit').and(page.locator(':focus')).waitFor()
  await dialog.getByRole('button', { name: 'Remove budget 1' }).click()
  await dialog.getByRole('button', { name: 'Add budget' }).and(page.locator(':focus')).waitFor()
  await save()
  await daily.waitFor({ state: 'detached' })
  assert.deepEqual(await bars.getByRole('meter').count(), 1, 'the monthly budget is still there')
  await page.getByText('other budgets:').first().waitFor()
  assert.deepEqual(complaints, [])
  await ada.revokeKey(key.id)
  await context.close()
})

t.test('the owner sets budgets of the account and of a member, who sees their own', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('team')
  const member = await new Person(system, 'member').join()
  const { link } = (
    await owner.call<{ invitation: { link: string } }>('POST', '/api/team/seats', { email: member.email })
  ).body.invitation
  assert.equal((await member.call('POST', `/api/team/invitations/${link.split('/').at(-1)}/accept`, {})).status, 200)
  const { page, context, complaints } = await visit(browser, system, { person: owner })
  await page.goto('/dashboard/billing')
  const [first, second] = [1, 2].map((place) => page.getByRole('group', { name: `Budget ${place}`, exact: true }))
  await page.getByRole('button', { name: 'Add budget' }).click()
  await first!.getByLabel('Limit').fill('100')
  await page.getByRole('button', { name: 'Add budget' }).click()
  await second!.getByLabel('Limit').fill('7.50')
  await chooseIn(second!, page, 'Resets', 'Every Monday')
  await second!.getByRole('combobox', { name: 'Keys' }).click()
  // Both people are named Ada.
  await page.getByRole('option', { name: `Keys of ${member.email}` }).click()
  assert.deepEqual(await accessibilityProblems(page), [], 'the form of the account')
  await page.getByRole('button', { name: 'Save more budgets' }).click()
  await page.getByText('Budgets saved.').waitFor()
  assert.equal(await second!.getByLabel('Limit').inputValue(), '7.5')
  await page.getByRole('link', { name: 'See what is left' }).click()
  await barsOf(page).getByText('Weekly budget').waitFor()

  const { page: theirs, context: other } = await visit(browser, system, { person: member })
  await theirs.goto('/dashboard/limits')
  await barsOf(theirs).getByText('$7.50', { exact: true }).waitFor()
  await barsOf(theirs).getByText('Daily budget').waitFor()
  await other.close()

  await page.goto('/dashboard/billing')
  for (let rows = 2; rows > 0; rows -= 1) await page.getByRole('button', { name: 'Remove budget 1' }).click()
  await page.getByRole('button', { name: 'Save more budgets' }).click()
  await page.getByText('Budgets saved.').waitFor()
  await page.goto('/dashboard/audit')
  await page.getByText(/removed the account’s budgets of \$100\.00 a day, \$7\.50 a week of the member/).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})
