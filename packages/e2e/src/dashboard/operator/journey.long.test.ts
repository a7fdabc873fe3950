import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { latestMail } from '@tollgate/sandbox/mailbox/read-mail.ts'
import t from 'tap'
import { Person } from '../../person.ts'
import { chatOutcome, openaiClient, startTestSystem } from '../../start-test-system.ts'
import { visit } from '../browser.ts'
import { accessibilityProblems } from '../check-page.ts'
import { startReceiver } from '../receiver.ts'
import { choose, signIn, untilLoaded } from '../use-page.ts'
import { browser, openWorld, system } from '../world.ts'
import { failNext, readRequests, visitAsOperator } from './world.ts'

t.before(() => openWorld(t))

/** A customer with a key that works. */
async function newCustomer() {
  const person = await new Person(system, 'carla').join('pro')
  const { id, value } = (await person.createKey('Production')).body.key
  const ask = () => chatOutcome(openaiClient(system.addresses.gateway, value))
  assert.equal(await ask(), '200')
  return { person, id, value, ask }
}

/** Opens a window of an operator, with short names for what the tests press and read. */
async function openConsole() {
  const window = await visitAsOperator()
  const { page } = window
  const dialog = page.getByRole('dialog')
  const reason = dialog.getByLabel('Reason')
  /** A button of the dialog. */
  const act = (name: string) => dialog.getByRole('button', { name, exact: true })
  return {
    ...window,
    dialog,
    reason,
    act,
    /** Presses a button by the keyboard: a toast may lie over it. */
    press: (name: string) => page.getByRole('button', { name, exact: true }).first().press('Enter'),
    heading: (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor(),
    toast: (text: string | RegExp) => page.getByRole('status').getByText(text).waitFor(),
    go: (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click(),
    /** Opens the page of a customer's account. */
    async openAccount({ email }: Person) {
      await page.goto(`/dashboard/operator/accounts?q=${encodeURIComponent(email)}`)
      await page.getByRole('link', { name: email }).click()
      await page.getByRole('heading', { name: email, level: 1 }).waitFor()
    },
    async confirm(name: string) {
      await reason.fill('Agreed by phone')
      await act(name).press('Enter')
      await dialog.waitFor({ state: 'detached' })
    }
  }
}

t.test('an operator finds a customer among many', async () => {
  if (browser === null) return
  const { person } = await newCustomer()
  const { page, context, complaints, foreign, heading, go } = await openConsole()
  // A page has many accounts.
  await context.route(/\/api\/admin\/accounts(\?|$)/, (route) => {
    const url = new URL(route.request().url())
    url.searchParams.set('limit', '1')
    return route.continue({ url: url.href })
  })
  await page.goto('/dashboard')
  await go('Accounts')
  await heading('Accounts')
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.getByRole('link', { name: 'First page' }).click()
  await page.getByLabel('Search accounts').fill(person.email)
  const link = page.getByRole('link', { name: person.email })
  await link.waitFor()
  await choose(page, 'Status', 'Suspended')
  await link.waitFor({ state: 'detached' })
  await choose(page, 'Status', 'Any status')
  await link.waitFor()
  await page.reload()
  await link.waitFor()
  assert.equal(await page.getByLabel('Search accounts').inputValue(), person.email, 'the address keeps the search')
  assert.deepEqual([...complaints, ...foreign], [])
  await context.close()
})

t.test('what an operator does to an account is in force at the gateway when the page says so', async () => {
  if (browser === null) return
  const { person, ask } = await newCustomer()
  const { page, context, operator, complaints, foreign, ...parts } = await openConsole()
  const { dialog, reason, act, press, heading, toast, openAccount, confirm } = parts
  await openAccount(person)
  await readRequests(page, operator, person)

  await press('Suspend account')
  await dialog.getByText('Every gateway refuses new requests with its 1 active key').waitFor()
  await act('Suspend account').press('Enter')
  await dialog.getByText('Enter a reason.').waitFor()
  await reason.and(page.locator(':focus')).waitFor()
  await failNext(context, '**/suspend', 'change_pending', true)
  await reason.fill('Sends spam')
  await page.keyboard.press('Enter')
  await dialog.getByRole('status').filter({ hasText: 'Saved, but not active yet' }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'a change that is not in force')
  await act('Check again').press('Enter')
  await toast('Account suspended. Every gateway refuses its keys now.')
  assert.equal(await ask(), '403 account_suspended')
  await page.getByText('This account is suspended').waitFor()
  await press('Resume account')
  await confirm('Resume account')
  await toast('Account resumed. Its keys work again.')
  assert.equal(await ask(), '200')

  await press('Change plan')
  await choose(page, 'Plan', 'Team')
  await dialog.getByLabel('Last day').fill('2040-01-01')
  await confirm('Change plan')
  await toast('The plan is team until Jan 1, 2040.')
  await page.getByText('An operator set the plan team, until Jan 1, 2040. Without it, the plan is pro.').waitFor()
  await press('Set limits')
  await dialog.getByLabel('Requests per minute').fill('0')
  await reason.fill('A trial')
  await act('Set limits').press('Enter')
  await dialog.getByText('Enter a whole number from 1').waitFor()
  await dialog.getByLabel('Requests per minute').fill('1000')
  await dialog.getByLabel('Monthly budget').fill('0')
  await confirm('Set limits')
  await toast('The limits apply now.')
  await page.getByRole('row', { name: /^Monthly budget \$0.00 Operator/ }).waitFor()
  assert.equal(await ask(), '402 monthly_budget_exceeded')
  await press('Set limits')
  await dialog.getByLabel('Monthly budget').fill('5')
  await confirm('Set limits')
  await page.getByRole('row', { name: /^Monthly budget \$5.00 Operator/ }).waitFor()
  assert.equal(await ask(), '200')
  await press('Adjust usage')
  await choose(page, 'Effect', 'Charge: raises the spend of the account')
  await dialog.getByLabel('Amount').fill('5')
  await reason.fill('An error')
  // As ten minutes after the sign-in.
  await failNext(context, '**/adjustments', 'confirmation_required', false)
  await act('Adjust usage').press('Enter')
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' })
  const password = question.getByLabel('Your password')
  await password.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await dialog.getByText('Nothing was changed. It needs your password.').waitFor()
  await failNext(context, '**/adjustments', 'confirmation_required', false)
  await act('Adjust usage').press('Enter')
  await password.fill('wrong')
  await page.keyboard.press('Enter')
  await question.getByText('The current password is wrong.').waitFor()
  await password.and(page.locator(':focus')).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'the question for the password')
  await password.fill(operator.password)
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'detached' })
  await toast('Charged $5.00')
  assert.equal(await ask(), '402 monthly_budget_exceeded')
  const spent = await person.call<{ spent_usd: string }>('GET', '/api/usage/summary')
  assert.ok(Number(spent.body.spent_usd) >= 5, 'the customer sees the charge')

  await press('Sign out everywhere')
  await dialog.getByText(/^Ends \d+ open sessions? of 1 person/).waitFor()
  await reason.fill('A stolen computer')
  await act('Sign out everywhere').press('Enter')
  await toast(/^\d+ sessions? signed out\.$/)
  assert.equal((await person.me()).status, 401)
  await page.getByRole('link', { name: 'Only acts of operators' }).click()
  await page.getByText('Reason: A stolen computer').waitFor()
  await page.getByText(`Only about ${person.email}`).waitFor()
  await choose(page, 'Operator', `${operator.email} (you)`)
  await page.getByText('adjusted the usage of an account').waitFor()

  await page.getByRole('link', { name: person.email }).first().click()
  await press('Delete account')
  await dialog.getByLabel('Type the owner’s address to confirm').fill('someone@else.example')
  await reason.fill('They asked for it')
  await act('Delete account').press('Enter')
  await dialog.getByText('This does not match the address.').waitFor()
  await dialog.getByLabel('Type the owner’s address to confirm').fill(person.email)
  await act('Delete account').press('Enter')
  await toast('Account deleted. Its keys are refused now.')
  await heading('Accounts')
  assert.match(await ask(), /^40[13] /)
  assert.deepEqual([...complaints, ...foreign], [])
  await context.close()
})

t.test('an operator reports a leaked key', async () => {
  if (browser === null) return
  const { person, value, ask } = await newCustomer()
  const { page, context, complaints, press, heading } = await openConsole()
  await page.goto('/dashboard/operator/leaked-key')
  await page.getByLabel('Key, key id, or SHA-256 of the key').fill('0190b5c2-5f3e-7a54-9d0e-2b6a4f1c8e77')
  await press('Find key')
  await page.getByRole('alert').getByText('No key matches').waitFor()
  await failNext(context, '**/api/admin/keys/revoke', 'revocation_pending', true)
  await page.getByLabel('Key, key id, or SHA-256 of the key').fill(` ${value} `)
  await press('Find key')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: 'Revoke “⁨Production⁩”?' }).waitFor()
  await dialog.getByText(person.email).waitFor()
  await dialog.getByText('Last used').waitFor()
  assert.equal(await ask(), '200', 'nothing is revoked before it is confirmed')
  assert.deepEqual(await accessibilityProblems(page), [], 'whose key it is')
  await page.getByLabel('Where was it found?').fill('A public repository')
  await press('Revoke key')
  await page.getByText('Saved, but not active yet').waitFor()
  await press('Check again')
  await page.getByText('The key is revoked').waitFor()
  assert.equal(await ask(), '401 revoked_api_key')
  await page.getByText('Production').waitFor()
  assert.ok(!(await page.content()).includes(value), 'the page no longer has the key')
  assert.deepEqual(await accessibilityProblems(page), [], 'a revoked key')
  // The mail follows the answer.
  let mail = ''
  while (!mail.includes('Production')) {
    mail = JSON.stringify(await latestMail(system.addresses.mailbox!, person.email))
    await delay(50)
  }
  assert.ok(!mail.includes(value))
  await page.getByRole('link', { name: 'Open the account' }).click()
  await heading(person.email)
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test(
  'acts that wait for a second operator are told in words, with who asked and what the customer gets',
  async () => {
    if (browser === null) return
    const { person } = await newCustomer()
    const { page, context, complaints, dialog, act } = await openConsole()
    const { body: me } = await person.call<{ user: { id: string } }>('GET', '/api/auth/me')
    const waiting = {
      account_id: me.user.id,
      account_email: person.email,
      asked_by: crypto.randomUUID(),
      asked_at: '2026-11-23T12:00:00.000Z',
      ends_at: '2026-11-30T12:00:00.000Z'
    }
    await context.route('**/api/admin/pending-acts', (route) =>
      route.fulfill({
        json: {
          pending: [
            {
              ...waiting,
              id: crypto.randomUUID(),
              action: 'account.adjusted',
              reason: 'An outage of two days',
              detail: { amount_usd: '-600.00', month: '2026-11' },
              asked_by_email: 'olga@example.com'
            },
            {
              ...waiting,
              id: crypto.randomUUID(),
              action: 'account.overridden',
              reason: '<b>A trial</b>',
              detail: { plan: 'enterprise', plan_ends_at: null, monthly_budget_usd: 5000, limits_end_at: null },
              asked_by_email: null
            }
          ]
        }
      })
    )
    await page.goto('/dashboard/operator/accounts')
    const list = page.getByRole('list', { name: 'Waits for a second operator' })
    await list.getByText('Amount: credit of $600.00 · Month: November 2026').waitFor()
    await list
      .getByText('Plan: enterprise · Plan ends: never · Monthly budget: $5,000.00 · Limits end: never')
      .waitFor()
    await list.getByText('olga@example.com asked on').waitFor()
    await list.getByText('A deleted user asked on').waitFor()
    assert.deepEqual(await accessibilityProblems(page), [], 'acts that wait')
    await list.getByRole('button', { name: 'Confirm' }).first().click()
    await dialog.getByText('An outage of two days').waitFor()
    await act('Cancel').click()
    assert.deepEqual(complaints, [])
    await context.close()
  }
)

t.test('an operator reads about the system, and gets its webhooks', async (t) => {
  if (browser === null) return
  const receiver = await startReceiver(t)
  const { page, context, complaints, dialog, press, heading, go } = await openConsole()
  await page.goto('/dashboard/operator')
  for (const title of ['System', 'Money', 'Operators’ notices', 'Operators’ log']) {
    await go(title)
    await heading(title)
    await untilLoaded(page)
  }
  await go('Operators’ webhooks')
  await press('Create endpoint')
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  await press('Done')
  await press('Send test event')
  const sent = page.getByRole('list', { name: 'Deliveries, newest first' }).getByRole('listitem')
  await sent.filter({ hasText: 'webhook.test' }).getByText('Delivered', { exact: true }).waitFor()
  assert.deepEqual(receiver.types, ['webhook.test'])
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('an operator applies a catalog after seeing what it changes, and the earlier one again', async () => {
  if (browser === null) return
  const { page, context, complaints, press, toast, confirm } = await openConsole()
  await page.goto('/dashboard/operator/catalog')
  await press('Edit the catalog')
  const text = page.getByLabel('Catalog (YAML)')
  await text.and(page.locator(':focus')).waitFor()
  const yaml = await text.inputValue()
  await text.fill('models: broken')
  await page.getByRole('navigation').getByRole('link', { name: 'Accounts', exact: true }).click()
  const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
  assert.deepEqual(await accessibilityProblems(page), [], 'the question whether to leave')
  await question.getByRole('button', { name: 'Keep editing' }).click()
  assert.equal(await text.inputValue(), 'models: broken')
  await press('Show what changes')
  const heading = page.getByRole('heading', { name: 'What changes' })
  await heading.and(page.locator(':focus')).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Apply this catalog' }).count(), 0, 'a catalog with problems')
  assert.deepEqual(await accessibilityProblems(page), [], 'problems of a catalog')
  const prices = /( {2}gpt-4o-mini:[\s\S]*?output: )([\d.]+)/
  assert.match(yaml, prices)
  const dearer = yaml.replace(prices, (_, before: string, price: string) => before + Number(price) * 2)
  const file = { name: 'prices.yaml', mimeType: 'text/yaml', buffer: Buffer.from(dearer) }
  await page.getByLabel('Choose a file').setInputFiles(file)
  await heading.waitFor({ state: 'detached' })
  assert.equal(await text.inputValue(), dearer)
  await press('Show what changes')
  await page.getByText('Output of gpt-4o-mini costs 100 % more.').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'changes of a catalog')
  await press('Apply this catalog')
  await confirm('Apply catalog')
  await toast(/^Catalog version \d+ is in force\.$/)
  await page
    .getByRole('button', { name: /^Apply again version/ })
    .first()
    .press('Enter')
  await page.getByText('Output of gpt-4o-mini costs 50 % less.').waitFor()
  await page.getByRole('button', { name: /^Apply version \d+ again$/ }).press('Enter')
  await confirm('Apply catalog')
  await page.getByText('Output of gpt-4o-mini costs 50 % less.').waitFor({ state: 'detached' })
  await page.getByRole('navigation').getByRole('link', { name: 'Accounts', exact: true }).click()
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('an operator who signed in too long ago signs in again, and returns to the page', async () => {
  if (browser === null) return
  const { person } = await newCustomer()
  const { page, context, operator, dialog, reason, act, press, openAccount } = await openConsole()
  await openAccount(person)
  await press('Suspend account')
  await reason.fill('Sends spam')
  let isStale = true
  const error = new ServiceError('sign_in_again')
  const answer = { status: error.status, json: error.toBody() }
  await context.route('**/api/admin/**', (route) => (isStale ? route.fulfill(answer) : route.continue()))
  await act('Suspend account').press('Enter')
  await dialog.getByText('Sign in again first').waitFor()
  assert.equal(await reason.inputValue(), 'Sends spam', 'nothing typed is lost')
  assert.deepEqual(await accessibilityProblems(page), [], 'a dialog that asks to sign in')

  const path = `/dashboard/operator/accounts?q=${encodeURIComponent(person.email)}`
  await page.goto(path)
  await page.getByRole('heading', { name: 'Sign in again', level: 1 }).and(page.locator(':focus')).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'sign in again')
  await page.getByRole('link', { name: 'Sign in', exact: true }).click()
  isStale = false
  await signIn(page, operator.email, operator.password)
  await page.getByRole('link', { name: person.email }).waitFor()
  assert.ok(page.url().endsWith(path))
  await context.close()
})

t.test('customers see no page for operators, and load none of their code', async () => {
  if (browser === null) return
  const { person } = await newCustomer()
  const { page, context } = await visit(browser, system, { person })
  const scripts: string[] = []
  page.on('request', (request) => scripts.push(request.url()))
  await page.goto('/dashboard')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'System', exact: true }).count(), 0)
  await page.goto('/dashboard/operator/system')
  await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  assert.deepEqual(
    scripts.filter((url) => /operator-frame|system-page|accounts-page|\/api\/admin\//.test(url)),
    []
  )
  await context.close()
})

t.test('with SIGNUP=approved, who registers sees that they wait, until an operator approves them', async (t) => {
  if (browser === null) return
  const approving = await startTestSystem(t, { env: { SIGNUP: 'approved' } })
  const person = await new Person(approving, 'wanda').join()
  const theirs = await visit(browser, approving, { person })
  const banner = theirs.page.getByText('Your account waits for approval. We will mail you.')
  await theirs.page.goto('/dashboard')
  await banner.waitFor()
  assert.deepEqual(await accessibilityProblems(theirs.page), [])
  assert.equal((await person.createKey('Mine')).status, 403)

  const operator = await new Person(approving, 'olga').joinAsOperator()
  const { page, context } = await visit(browser, approving, { person: operator })
  await page.goto('/dashboard/operator/accounts')
  await choose(page, 'Status', 'Waits for approval')
  await page.getByRole('listitem').filter({ hasText: person.email }).getByText('Waits for approval').waitFor()
  await page.getByRole('link', { name: person.email }).click()
  await page.getByText('This account waits for approval').waitFor()
  await page.getByRole('button', { name: 'Approve account' }).press('Enter')
  await page.getByRole('dialog').getByLabel('Reason').fill('A customer')
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Account approved.').waitFor()
  await page.getByRole('button', { name: 'Suspend account' }).waitFor()
  await theirs.page.reload()
  await theirs.page.getByRole('heading', { level: 1 }).waitFor()
  await banner.waitFor({ state: 'detached' })
  assert.equal((await person.createKey('Mine')).status, 201)
  await Promise.all([context.close(), theirs.context.close()])
})
