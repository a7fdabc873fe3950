import assert from 'node:assert/strict'
import t from 'tap'
import type { Person } from '../person.ts'
import { visit } from './browser.ts'
import { browser, joinAda, openWorld, system } from './world.ts'

let ada: Person
t.before(async () => {
  await openWorld(t)
  if (browser !== null) ada = await joinAda()
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

t.test('of two tabs that change one budget, the second is told what it is now', async () => {
  if (browser === null) return
  const { page: one, context, complaints } = await visit(browser, system, { person: ada })
  const two = await context.newPage()
  const budgetIn = (page: typeof one) => page.getByLabel('Budget per month')
  for (const page of [one, two]) await page.goto('/dashboard/billing')
  await budgetIn(two).fill('$30')
  await budgetIn(one).fill(' 20 USD')
  await one.getByRole('button', { name: 'Save budget' }).click()
  await one.getByText('Your budget applies now.').waitFor()
  await two.getByRole('button', { name: 'Save budget' }).click()
  await two.getByText('The budget was changed meanwhile, so yours was not saved. It is $20.00 now.').waitFor()
  assert.equal(await budgetIn(two).inputValue(), '20')
  await budgetIn(two).and(two.locator(':focus')).fill('30')
  await two.getByRole('button', { name: 'Save budget' }).click()
  await two.getByText('Your budget applies now.').waitFor()

  const { key } = (await ada.createKey('of two tabs')).body
  for (const page of [one, two]) {
    await page.goto(`/dashboard/keys/${key.id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page
      .getByRole('dialog')
      .getByLabel('Monthly budget')
      .fill(page === one ? '5' : '6')
  }
  await one.getByRole('button', { name: 'Save changes' }).click()
  await one.getByText('Key saved.').waitFor()
  await two.getByRole('button', { name: 'Save changes' }).click()
  await two.getByText('The budget was changed meanwhile, so yours was not saved. It is $5.00 now.').waitFor()
  assert.equal(await two.getByRole('dialog').getByLabel('Monthly budget').inputValue(), '5')
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('the next charge is unknown while the payment provider does not answer, and the page stays usable', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await page.goto('/dashboard/billing')
  await page.getByText('Nothing will be charged.').waitFor()
  let isAway = true
  await context.route('**/api/billing/plan', async (route) => {
    const answer = await route.fetch()
    const { plan } = (await answer.json()) as { plan: object }
    const paid = { id: 'pro', price_id: 'price_pro_yearly', renews_at: '2026-12-25T12:00:00.000Z' }
    await route.fulfill({ response: answer, json: { plan: { ...plan, ...paid } } })
  })
  const charge = { amount: 2000, currency: 'usd', at: '2026-12-25T13:00:00.000Z' }
  await context.route('**/api/billing/next-charge', (route) =>
    isAway ? route.fulfill({ status: 503, body: 'not ours' }) : route.fulfill({ json: { next_charge: charge } })
  )
  await page.clock.install()
  await page.reload()
  await page.getByText('Renews on Dec 25, 2026.').waitFor()
  await page.getByText('Next charge: not known right now.').waitFor()
  await page.getByText('Monthly budget').first().waitFor()
  isAway = false
  await page.clock.fastForward(31_000)
  await page.getByText('Next charge: $20.00.').waitFor()
  const plans = page.getByRole('list', { name: 'Plans' }).getByRole('listitem')
  const own = plans.filter({ has: page.getByRole('heading', { name: 'Pro', exact: true }) })
  await own.getByText('$200 a year').waitFor()
  await own.getByText('Current').waitFor()
  await page.getByRole('group', { name: 'Billing interval' }).getByText('Monthly').click()
  await own.getByRole('button', { name: 'Switch to monthly billing' }).waitFor()
  assert.equal(await own.getByText('Current').count(), 0, 'the monthly price is not the current one')
  await context.route('**/api/limits', async (route) => {
    const answer = await route.fetch()
    const { limits, plans: compared } = (await answer.json()) as { limits: object; plans: object[] }
    await route.fulfill({
      response: answer,
      json: { limits: { ...limits, keys: { limit: 5, in_use: 8 } }, plans: compared }
    })
  })
  await page.goto('/dashboard/billing?changed=price_pro_yearly')
  await page.getByText('You are now on the').waitFor()
  await page.waitForURL('**/dashboard/billing')
  await page.getByText('You have 3 keys more than your plan allows').waitFor()
  await page.reload()
  await page.getByText('Renews on Dec 25, 2026.').waitFor()
  assert.equal(await page.getByText('You are now on the').count(), 0, 'a reload does not say it again')
  await page.goto('/dashboard/billing?changed=price_pro_yearly')
  await page.getByText('You have 3 keys more than your plan allows').waitFor()
  await page.getByRole('link', { name: 'See your keys' }).click()
  await page.getByText('All of them keep working. Before you can create a key, revoke 4').waitFor()
  await context.close()
})
