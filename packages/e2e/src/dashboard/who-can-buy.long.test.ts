import assert from 'node:assert/strict'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

const keysOfTeamPlan = 20

t.test('a member is told who can buy, wherever an owner finds a link', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('team')
  const member = await new Person(system, 'member').join()
  const { body } = await owner.call<{ invitation: { link: string } }>('POST', '/api/team/seats', {
    email: member.email
  })
  const token = new URL(body.invitation.link).pathname.split('/').at(-1)
  assert.equal((await member.call('POST', `/api/team/invitations/${token}/accept`)).status, 200)
  for (let made = 0; made < keysOfTeamPlan; made++) {
    assert.equal((await owner.createKey(`key ${made}`)).status, 201)
  }
  await owner.call('PATCH', '/api/account', { monthly_budget_usd: 0 })

  const { page: theirs, context } = await visit(browser, system, { person: member })
  for (const [path, text] of [
    ['/dashboard', 'Requests that cost money are refused.'],
    ['/dashboard/billing', 'pays for it and can change it.'],
    ['/dashboard/limits', 'A higher plan applies to all your keys at once.'],
    ['/dashboard/webhooks', 'Only the owner of the team can see and change'],
    ['/dashboard/audit', 'Only the owner of the team can read'],
    ['/dashboard/keys?create=1', 'Revoke a key,']
  ] as const) {
    await theirs.goto(path)
    await theirs.getByText(text).filter({ hasText: owner.email }).waitFor()
  }
  await theirs.goto('/dashboard/playground')
  await theirs.getByLabel('Message').fill('Say 20 words.')
  await theirs.keyboard.press('Enter')
  await theirs.getByText('Ask the owner of your team.').waitFor()
  await context.close()

  const { page, context: own } = await visit(browser, system, { person: owner })
  for (const [path, link] of [
    ['/dashboard', 'Review your budget'],
    ['/dashboard/limits', 'Change the plan'],
    ['/dashboard/keys?create=1', 'Upgrade your plan']
  ] as const) {
    await page.goto(path)
    await page.getByRole('link', { name: link }).click()
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
  }
  // Nobody can buy a plan without a price here, so the page says whom to ask.
  await page.getByText('To get this plan, write to the operator of this service.').waitFor()
  await page.goto('/dashboard/playground')
  await page.getByLabel('Message').fill('Say 20 words.')
  await page.keyboard.press('Enter')
  // Beside the conversation, which would end with the page.
  const [billing] = await Promise.all([
    own.waitForEvent('page'),
    page.getByRole('link', { name: 'Change your budget or plan' }).click()
  ])
  await billing.getByLabel('Budget per month').waitFor()
  await page.getByText('Say 20 words.').waitFor()
  await own.close()
})

t.test('a plan that ends says what happens then, and how to keep it', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('pro')
  const { page, context } = await visit(browser, system, { person: owner })
  await context.route('**/api/billing/plan', async (route) => {
    const answer = await route.fetch()
    const { plan } = (await answer.json()) as { plan: object }
    const ends = { price_id: 'price_pro', renews_at: null, cancel_at: '2040-12-25T12:00:00.000Z' }
    await route.fulfill({ response: answer, json: { plan: { ...plan, ...ends } } })
  })
  await page.goto('/dashboard/billing')
  await page.getByText('Cancelled. Ends on Dec 25, 2040.').waitFor()
  await page.getByText('Then the account moves to the free plan').waitFor()
  await page.getByRole('button', { name: 'Manage subscription' }).waitFor()
  await context.close()
})
