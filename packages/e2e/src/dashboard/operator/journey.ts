import assert from 'node:assert/strict'
import t from 'tap'
import { ada } from '../ada.ts'
import { visit } from '../browser.ts'
import { accessibilityProblems } from '../check-accessibility.ts'
import { choose } from '../choose.ts'
import { browser, system } from '../world.ts'
import { customer, operator, visitAsOperator } from './world.ts'

/** Opens a window of the operator, with short names for what the tests press and read. */
async function openConsole() {
  const window = await visitAsOperator()
  const { page } = window
  const dialog = page.getByRole('dialog')
  return {
    ...window,
    dialog,
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    heading: (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor(),
    /** A button of the dialog. */
    act: (name: string) => dialog.getByRole('button', { name, exact: true }),
    reason: dialog.getByLabel('Reason'),
    password: dialog.getByLabel('Your password'),
    toast: (text: string) => page.getByRole('status').getByText(text).waitFor(),
    go: (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  }
}

t.test('an operator finds a customer, stops them, and lets them go on', async () => {
  if (browser === null) return
  const { page, context, admin, complaints, foreign, ...parts } = await openConsole()
  const { dialog, button, heading, act, reason, toast, go } = parts

  await page.goto('/dashboard')
  await go('Accounts')
  await heading('Accounts')
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.getByText('Deleted user').waitFor()
  await page.getByRole('link', { name: 'First page' }).click()
  await choose(page, 'Status', 'Suspended')
  await page.getByRole('link', { name: customer.email }).waitFor({ state: 'detached' })
  await choose(page, 'Status', 'Any status')
  await page.getByLabel('Search accounts').fill('carla')
  await page.waitForURL('**/accounts?q=carla')
  await page.getByRole('link', { name: 'late@example.com' }).waitFor({ state: 'detached' })
  await page.reload()
  assert.equal(await page.getByLabel('Search accounts').inputValue(), 'carla', 'the address keeps the search')
  await page.getByRole('link', { name: customer.email }).click()
  await heading(customer.email)

  await button('Suspend account').click()
  await dialog.getByText('Every gateway refuses new requests with its 2 active keys').waitFor()
  await act('Suspend account').click()
  await dialog.getByText('Enter a reason.').waitFor()
  await reason.and(page.locator(':focus')).waitFor()
  admin.isPending = true
  await reason.fill('Sends spam')
  await page.keyboard.press('Enter')
  await dialog.getByRole('status').filter({ hasText: 'Saved, but not active yet' }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'a change that is not in force')
  admin.isPending = false
  await act('Check again').click()
  await toast('Account suspended. Every gateway refuses its keys now.')
  await page.getByText('This account is suspended').waitFor()
  await button('Resume account').click()
  await reason.fill('It was a mistake')
  await act('Resume account').click()
  await toast('Account resumed. Its keys work again.')

  assert.deepEqual([...admin.violations, ...complaints, ...foreign], [])
  await context.close()
})

t.test('an operator changes plan, limits and usage of a customer, signs them out, and deletes them', async () => {
  if (browser === null) return
  const { page, context, admin, complaints, foreign, ...parts } = await openConsole()
  const { dialog, button, heading, act, reason, password, toast } = parts
  await page.goto('/dashboard/operator/accounts')
  await page.getByRole('link', { name: customer.email }).click()
  await button('Change plan').click()
  await choose(page, 'Plan', 'Team')
  await dialog.getByLabel('Last day').fill('2040-01-01')
  await reason.fill('A trial')
  await act('Change plan').click()
  await toast('The plan is team until Jan 1, 2040.')
  await page.getByText('An operator set the plan team, until Jan 1, 2040. Without it, the plan is pro.').waitFor()
  await button('Set limits').click()
  await dialog.getByLabel('Requests per minute').fill('0')
  await reason.fill('A trial')
  await act('Set limits').click()
  await dialog.getByText('Enter a whole number from 1').waitFor()
  await dialog.getByLabel('Requests per minute').fill('1200')
  await dialog.getByLabel('Monthly budget').fill('500')
  await act('Set limits').click()
  await toast('The limits apply now.')
  await page.getByRole('row', { name: /^Monthly budget \$500.00 Operator \$50.00 Never$/ }).waitFor()
  await page.getByRole('row', { name: /^Tokens per minute 200,000 Plan 200,000/ }).waitFor()

  await button('Adjust usage').click()
  await dialog.getByLabel('Amount').fill('12.50')
  await reason.fill('An outage')
  await password.fill('wrong')
  await act('Adjust usage').click()
  await dialog.getByText('The current password is wrong.').waitFor()
  await password.and(page.locator(':focus')).fill(operator.password)
  await act('Adjust usage').click()
  await toast('Credited $12.50 for')
  await page.getByRole('row', { name: /-\$12.50 Credited An outage/ }).waitFor()
  await button('Sign out everywhere').click()
  await dialog.getByText('Ends 3 open sessions of 2 people').waitFor()
  await reason.fill('A stolen computer')
  await act('Sign out everywhere').click()
  await toast('3 sessions signed out.')

  await page.getByRole('link', { name: 'Only acts of operators' }).click()
  await page.getByText('Reason: A stolen computer').waitFor()
  await page.getByText('Only about carla@example.com').waitFor()
  await choose(page, 'Operator', `${operator.email} (you)`)
  await page.getByText('adjusted the usage of an account').waitFor()
  await page.getByRole('link', { name: customer.email }).first().click()
  await button('Delete account').click()
  await dialog.getByLabel('Type the owner’s address to confirm').fill('someone@else.example')
  await reason.fill('They asked for it')
  await password.fill(operator.password)
  await act('Delete account').click()
  await dialog.getByText('This does not match the address.').waitFor()
  await dialog.getByLabel('Type the owner’s address to confirm').fill(customer.email)
  await act('Delete account').click()
  await toast('Account deleted. Its keys are refused now.')
  await heading('Accounts')
  await page.getByRole('link', { name: 'late@example.com' }).waitFor()
  // The page shows the list that it has until the new one arrives.
  await page.getByRole('link', { name: customer.email }).waitFor({ state: 'detached' })
  assert.deepEqual([...admin.violations, ...complaints, ...foreign], [])
  await context.close()
})

t.test('an operator reports a leaked key, and applies a catalog after seeing what it changes', async () => {
  if (browser === null) return
  const { page, context, admin, complaints, button, heading, act, reason, password, toast, go } = await openConsole()
  await page.goto('/dashboard/operator/leaked-key')
  await page.getByLabel('Key, key id, or SHA-256 of the key').fill('0190b5c2-5f3e-7a54-9d0e-2b6a4f1c8e77')
  await page.getByLabel('Where was it found?').fill('A public repository')
  await button('Revoke key').click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Key, key id, or SHA-256 of the key').fill(` ${customer.keyValue} `)
  admin.isPending = true
  await button('Revoke key').click()
  await page.getByText('Saved, but not active yet').waitFor()
  admin.isPending = false
  await button('Check again').click()
  await page.getByText('The key is revoked').waitFor()
  await page.getByText(`${customer.keyLabel}`).waitFor()
  assert.ok(!(await page.content()).includes(customer.keyValue), 'the page no longer has the key')
  assert.deepEqual(await accessibilityProblems(page), [], 'a revoked key')
  await page.getByRole('link', { name: 'Open the account' }).click()
  await heading(customer.email)

  await go('Catalog')
  await button('Edit the catalog').click()
  const text = page.getByLabel('Catalog (YAML)')
  await text.and(page.locator(':focus')).waitFor()
  await text.fill('models: broken')
  await button('Show what changes').click()
  const found = page.getByRole('heading', { name: 'What changes' })
  await found.and(page.locator(':focus')).waitFor()
  await page.getByText('no upstream is named “broken”').waitFor()
  assert.equal(await button('Apply this catalog').count(), 0, 'a catalog with problems cannot be applied')
  assert.deepEqual(await accessibilityProblems(page), [], 'problems of a catalog')
  const file = { name: 'prices.yaml', mimeType: 'text/yaml', buffer: Buffer.from('models: {}') }
  await page.getByLabel('Choose a file').setInputFiles(file)
  await found.waitFor({ state: 'detached' })
  assert.equal(await text.inputValue(), 'models: {}')
  await button('Show what changes').click()
  await page.getByText('Output of gpt-4o-mini costs 16.7 % more.').waitFor()
  await page.getByText('310 accounts').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'changes of a catalog')
  await button('Apply this catalog').click()
  await reason.fill('New prices')
  await password.fill(operator.password)
  await act('Apply catalog').click()
  await toast('Catalog version 13 is in force.')
  await button('Apply again version 11').click()
  await page.getByRole('heading', { name: 'What version 11 changes' }).waitFor()
  await button('Apply version 11 again').click()
  await reason.fill('The new prices were wrong')
  await password.fill(operator.password)
  await act('Apply catalog').click()
  await toast('Catalog version 14 is in force.')
  assert.deepEqual([...admin.violations, ...complaints], [])
  await context.close()
})

t.test('an operator who signed in too long ago signs in again, and returns to the page', async () => {
  if (browser === null) return
  const { page, context, admin } = await visitAsOperator()
  const path = '/dashboard/operator/accounts?q=carla'
  await page.goto(path)
  await page.getByRole('link', { name: customer.email }).click()
  await page.getByRole('button', { name: 'Suspend account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('Sends spam')
  admin.isStale = true
  await dialog.getByRole('button', { name: 'Suspend account' }).click()
  await dialog.getByText('Sign in again first').waitFor()
  assert.equal(await dialog.getByLabel('Reason').inputValue(), 'Sends spam', 'nothing typed is lost')
  assert.deepEqual(await accessibilityProblems(page), [], 'a dialog that asks to sign in')

  await page.goto(path)
  await page.getByRole('heading', { name: 'Sign in again', level: 1 }).and(page.locator(':focus')).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'sign in again')
  await page.getByRole('link', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('E-mail address').fill(operator.email)
  await page.getByLabel('Password', { exact: true }).fill(operator.password)
  admin.isStale = false
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: customer.email }).waitFor()
  assert.ok(page.url().endsWith(path))
  await context.close()
  // The sign-in replaced the session.
  await operator.login()
})

t.test('customers see no page for operators, and load none of their code', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
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
