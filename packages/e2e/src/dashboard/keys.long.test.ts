import assert from 'node:assert/strict'
import type { CreatedKey } from '@tollgate/contracts/http/keys.ts'
import t from 'tap'
import type { Person } from '../person.ts'
import { chatOutcome, openaiClient } from '../start-test-system.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { choose, untilFailed } from './use-page.ts'
import { browser, hostile, joinAda, openWorld, system } from './world.ts'

let ada: Person
t.before(async () => {
  await openWorld(t)
  if (browser !== null) ada = await joinAda()
})

/** The elements of a dialog that the keyboard reaches, in order. */
const stops = '[role=dialog] :is(a[href], button, input, select, textarea, [tabindex="0"]):not(:disabled)'

t.test('dialogs are accessible, trap the focus, and return it to the element that opened them', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await page.goto('/dashboard/keys')
  for (const action of ['Create key', 'Edit', 'Rotate', 'Pause', 'Revoke']) {
    const opener = page.getByRole('button', { name: action }).first()
    await opener.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    // All dialogs have the same frame, so the dark one is looked at once.
    await page.emulateMedia({ colorScheme: action === 'Create key' ? 'dark' : 'light' })
    assert.deepEqual(await accessibilityProblems(page), [], action)
    assert.ok(
      await page.evaluate('document.querySelector("[aria-live]").closest("[inert], [aria-hidden=true]") === null'),
      'toasts are announced'
    )
    const [first, last] = [page.locator(stops).first(), page.locator(stops).last()]
    await last.focus()
    await page.keyboard.press('Tab')
    await first.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Shift+Tab')
    await last.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await opener.and(page.locator(':focus')).waitFor()
  }

  await page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click()
  await page.getByLabel('Label').fill('never saved')
  await page.keyboard.press('Escape')
  const question = page.getByRole('alertdialog', { name: 'Discard your changes?' })
  await question.getByRole('button', { name: 'Keep editing' }).and(page.locator(':focus')).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'the question whether to discard')
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  assert.equal(await page.getByLabel('Label').inputValue(), 'never saved')
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await page.getByText('never saved').count(), 0)
  await context.close()
})

t.test('an amount is read as it was pasted, and what is no amount is refused at once and kept', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system, {
    person: ada,
    viewport: { width: 1280, height: 720 }
  })
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  const [budget, rate] = [dialog.getByLabel('Monthly budget'), dialog.getByLabel('Rate limit')]
  await dialog.getByLabel('Label').fill('pasted')
  await rate.pressSequentially('1.5')
  await dialog.getByText('Enter a whole number, without decimals.').waitFor()
  await budget.fill('€50')
  await dialog.getByText('Enter an amount in US dollars, such as 50 or 12.50.').waitFor()
  assert.deepEqual([await rate.inputValue(), await budget.inputValue()], ['1.5', '€50'])
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await budget.and(page.locator(':focus')).waitFor()
  await budget.fill(' $1,000.50 USD')
  await rate.fill('15')
  await rate.press('ArrowUp')
  assert.deepEqual([await rate.inputValue(), await budget.inputValue()], ['16', '1000.5'])
  await dialog.getByLabel('Token limit').fill('40,000')
  await dialog.getByLabel('Concurrent requests').fill('4')
  await choose(page, 'When a budget is used up', 'Use gpt-4o-mini')
  assert.deepEqual(await accessibilityProblems(page), [], 'all limits')
  // The API refuses what only it can know. Its reason is at the top, in sight, although the button is at the end.
  await page.route('**/api/keys', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const error = { message: 'models.0: not in the plan', type: 'invalid_request_error', code: 'invalid_request' }
    await route.fulfill({ status: 400, json: { error } })
  })
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const problem = dialog.getByRole('alert').getByText('Models: Not in the plan.')
  await problem.waitFor()
  await dialog
    .locator(':focus')
    .filter({ has: page.getByRole('alert') })
    .waitFor()
  const box = await problem.boundingBox()
  assert.ok(box !== null && box.y > 0 && box.y < 720, 'the problem is in sight')
  await page.unroute('**/api/keys')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('$1,000.50/month, 16/min, 40K tokens/min, 4 at once').waitFor()
  // As wide as these columns become: a minute later, and with a refusal.
  const hidden = await page.getByRole('region', { name: 'Keys' }).evaluate((region) => {
    for (const time of region.querySelectorAll('time')) time.textContent = '59 minutes ago'
    return region.scrollWidth - region.clientWidth
  })
  assert.ok(hidden <= 0, `the table of keys fits a window of 1280 px: ${hidden} px are hidden`)
  await page.getByRole('link', { name: 'pasted', exact: true }).click()
  for (const fact of ['40,000 tokens/min', 'Use gpt-4o-mini']) await page.getByText(fact, { exact: true }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('a key is created and rotated only once, even if the response is lost', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  let isLost = true
  let untilLost = Promise.resolve()
  await context.route(/\/api\/keys(\/[^/]+\/rotate)?$/, async (route) => {
    if (route.request().method() !== 'POST' || !isLost) return route.continue()
    await route.fetch()
    isLost = false
    await untilLost
    return route.abort()
  })
  const focused = () =>
    page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.name')
  const dialog = page.getByRole('dialog')
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByLabel('Label').fill('made once')
  await dialog.getByRole('button', { name: 'Add pair' }).click()
  assert.equal(await focused(), 'Name of pair 1')
  await dialog.getByRole('button', { name: 'Remove pair 1' }).click()
  assert.ok(await dialog.getByRole('button', { name: 'Add pair' }).and(page.locator(':focus')).isVisible())
  await page.getByLabel('Only selected models').check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Choose at least one model').waitFor()
  // The invalid field gets the focus with the next frame.
  await page.locator('[name=models]:focus').waitFor()
  await page.getByLabel('All models in the plan').check()
  await dialog.getByLabel('Expires after').focus()
  await page.keyboard.type('12')
  await page.keyboard.press('Enter')
  await page.getByText('Enter a complete date, or leave the field empty.').waitFor()
  await dialog.getByLabel('Expires after').fill('2040-01-01')
  await choose(page, 'Warnings', 'Own thresholds')
  await dialog.getByLabel('Thresholds').fill('50, 90')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('The server cannot be reached').waitFor()
  await dialog.getByLabel('Label').fill('made once, named twice')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  assert.match(String(await page.locator('[data-secret]').textContent()), /^tg_/)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'made once, named twice' }).waitFor()
  assert.equal(await page.getByRole('heading', { name: 'made once' }).count(), 1)

  isLost = true
  const { promise, resolve: lose } = Promise.withResolvers<void>()
  untilLost = promise
  await page.getByRole('button', { name: 'Rotate made once' }).click()
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  await page.keyboard.press('Escape')
  lose()
  // Escape did not close the dialog, because the rotation was running.
  await dialog.getByText('The server cannot be reached').waitFor()
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  await page.getByText('but it did not reach this page').waitFor()
  await dialog.getByLabel('Also end open requests').check()
  await dialog.getByRole('button', { name: 'Rotate again' }).click()
  assert.match(String(await page.locator('[data-secret]').textContent()), /^tg_/)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'made once, named twice' }).click()
  await page.getByText('At 50 %, 90 % of the budget').waitFor()
  await page.getByText('open requests:').waitFor()
  await context.close()
})

t.test('a paused key is marked, refused by the gateway, and works again once it is resumed', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system, { person: ada })
  const { key } = (await ada.createKey('takes a break')).body
  const ask = () => chatOutcome(openaiClient(system.addresses.gateway, key.value))
  await page.goto('/dashboard/keys')
  const row = page.getByRole('row').filter({ hasText: 'takes a break' })
  for (const [verb, done, outcome] of [
    ['Pause', 'Key paused.', '403 paused_api_key'],
    ['Resume', 'Key resumed.', '200']
  ] as const) {
    await row.getByRole('button', { name: verb }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `${verb} key` })
      .click()
    await page.getByText(done).waitFor()
    await row.getByText('Paused', { exact: true }).waitFor({ state: verb === 'Pause' ? 'visible' : 'detached' })
    assert.equal(await ask(), outcome)
  }
  assert.deepEqual(complaints, [])
  await ada.revokeKey(key.id)
  await context.close()
})

t.test('a key that refuses requests says why, and a larger budget ends it', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system, { person: ada })
  const body = { label: 'too little left', monthly_budget_usd: 0.000001 }
  const { key } = (await ada.call<{ key: CreatedKey }>('POST', '/api/keys', body)).body
  const ask = () => chatOutcome(openaiClient(system.addresses.gateway, key.value))
  assert.equal(await ask(), '402 key_budget_exceeded')
  await page.goto('/dashboard')
  const card = page.getByRole('list', { name: 'Keys that refuse requests' })
  await card.getByText('the smallest refused request needs').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await card.getByRole('link', { name: 'too little left' }).click()
  await page.getByText('Refuses requests: budget').waitFor()
  await page.getByRole('button', { name: 'Raise its budget' }).click()
  await page.getByRole('dialog').getByLabel('Monthly budget').fill('1')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Refuses requests: budget').waitFor({ state: 'detached' })
  assert.equal(await ask(), '200')
  assert.deepEqual(complaints, [])
  await ada.revokeKey(key.id)
  await context.close()
})

t.test('a change that is not active yet says so until it is active', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system, { person: ada })
  const { key } = (await ada.createKey('waits')).body
  const pending = { error: { message: 'It waits.', type: 'gateway_error', code: 'change_pending' } }
  // Simulates control without Redis: changes are stored, but not active yet.
  let isCut = true
  await context.route(new RegExp(`/api/(account|keys/${key.id}(/rotate)?)$`), async (route) => {
    const response = await route.fetch()
    if (!isCut || !response.ok()) return route.fulfill({ response })
    const method = route.request().method()
    if (method === 'PATCH') return route.fulfill({ status: 503, headers: { 'retry-after': '2' }, json: pending })
    if (!route.request().url().includes('/keys/')) return route.fulfill({ response })
    const body = await response.json()
    const json = { key: { ...body.key, in_force: false } }
    return route.fulfill({ status: method === 'POST' ? 202 : 200, json })
  })
  const dialog = page.getByRole('dialog')
  const saved = page.getByRole('status').filter({ hasText: 'Saved, but not active yet' })
  await page.goto('/dashboard/keys')
  await page.getByRole('button', { name: 'Rotate waits' }).click()
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  assert.match(String(await page.locator('[data-secret]').textContent()), /^tg_/, 'the value is shown nevertheless')
  await dialog.getByRole('status').filter({ hasText: 'The new value is not active yet' }).waitFor()
  await dialog.getByText('the old value may still work').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'waiting')
  isCut = false
  await dialog.getByRole('status').filter({ hasText: 'The new value is active' }).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()

  isCut = true
  await page.getByRole('button', { name: 'Edit waits' }).click()
  await dialog.getByLabel('Rate limit').fill('3')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.locator(saved).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'saved, not active')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.locator(saved).waitFor()
  isCut = false
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Key saved.').waitFor()
  assert.ok(await page.getByText('3/min').isVisible())

  isCut = true
  await page.getByRole('navigation').getByRole('link', { name: 'Billing', exact: true }).click()
  // Many people write decimals after a comma.
  await page.getByLabel('Budget per month').fill('5,00')
  await page.getByRole('button', { name: 'Save budget' }).click()
  await saved.waitFor()
  isCut = false
  await page.getByRole('button', { name: 'Save budget' }).click()
  await page.getByText('Your budget applies now.').waitFor()
  await saved.waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
  await ada.call('PATCH', '/api/account', { monthly_budget_usd: null })
  await context.close()
})

t.test('keys are searched and sorted by control, and stay visible if a refresh fails', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await page.clock.install()
  await page.goto('/dashboard/keys')
  const names = page.getByRole('rowheader').getByRole('heading')
  const search = async (text: string) => {
    await page.getByLabel('Search keys').fill(text)
    await page.clock.runFor(1000)
  }
  await page.getByRole('region', { name: 'Keys' }).waitFor()
  await search('nothing like it')
  await page.getByText('No matching keys', { exact: true }).waitFor()
  await search('WAITS')
  await names.filter({ hasText: 'waits' }).waitFor()
  assert.equal(await names.count(), 1)
  await search('')
  await names.nth(1).waitFor()
  await page.getByRole('columnheader').getByRole('button', { name: 'Key' }).click()
  await page
    .getByRole('columnheader', { name: 'Key', exact: true })
    .and(page.locator('[aria-sort=ascending]'))
    .waitFor()
  // The page shows the keys in their earlier order until the new list arrives.
  await names.first().filter({ hasText: hostile }).waitFor()
  const sorted = await names.allTextContents()
  assert.deepEqual(
    sorted,
    sorted.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
  )

  await context.route(/\/api\/keys\?/, (route) => route.abort())
  await page.clock.fastForward(60_000)
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))')
  await untilFailed(page, 1)
  await page.getByRole('alert').getByText('This could not be refreshed and may be out of date.').waitFor()
  assert.ok(await page.getByRole('region', { name: 'Keys' }).isVisible(), 'the loaded keys are still shown')
  await context.close()
})

t.test('a key has a page with its spend, its settings and its requests', async () => {
  if (browser === null) return
  const { page, context, complaints } = await visit(browser, system, { person: ada })
  await page.goto('/dashboard/keys')
  await page.getByRole('link', { name: hostile }).click()
  await page.getByRole('heading', { name: hostile, level: 1 }).waitFor()
  await page.getByText('this month, without a budget of its own').waitFor()
  await page.getByText('As set for the account').waitFor()
  await page.getByRole('region', { name: 'Requests, newest first' }).getByText('gpt-4o-mini').first().waitFor()
  await page.getByRole('link', { name: 'All requests of this key' }).click()
  await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor()
  assert.match(page.url(), /key=key_/)
  await page.goto('/dashboard/keys/key_000000000000000000000000')
  await page.getByText('There is no such key').waitFor()
  assert.deepEqual(
    complaints.filter((line) => !line.includes('404')),
    []
  )
  await context.close()
})
