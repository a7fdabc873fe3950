import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { Person } from '../person.ts'
import { chatOutcome, openaiClient } from '../start-test-system.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { choose, untilLogged } from './use-page.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

t.test('a customer finds a request, reads why it cost what it cost, and exports the list', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('team')
  const { page, context, complaints } = await visit(browser, system, { person: owner })
  await page.goto('/dashboard/usage')
  await page.getByRole('link', { name: 'See requests' }).click()
  await page.getByText('No matching requests').waitFor()

  const { id: keyId, value } = (await owner.createKey('Web')).body.key
  const client = openaiClient(system.addresses.gateways[0]!, value)
  assert.equal(await chatOutcome(client), '200')
  const logged = await untilLogged(owner)
  await page.goto(`/dashboard/requests?key=${keyId}&status=5xx`)
  await page.getByText('No matching requests').waitFor()
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name)
  const cost = page.getByLabel('Min. cost in $')
  await cost.fill('1,000')
  await page.keyboard.press('Enter')
  await page.getByText('Leave out separators of thousands.').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'an amount that cannot be read')
  await cost.fill('$9')
  await page.keyboard.press('Enter')
  await page.waitForURL(/min_cost_usd=9/)
  await page.getByRole('button', { name: 'Clear all' }).click()
  await page.getByRole('combobox', { name: 'Key', exact: true }).click()
  await page.getByLabel('Search keys').fill('nothing like it')
  await page.getByText('No matching keys').waitFor()
  await page.getByLabel('Search keys').fill('we')
  await page.getByRole('option', { name: 'Web' }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [], 'the open choice of a key')
  await page.keyboard.press('Enter')
  await choose(page, 'Status', 'Successful (2xx)')
  assert.deepEqual([parameter('key'), parameter('status')], [keyId, '2xx'], 'the filters are in the address')
  assert.equal(parameter('min_cost_usd'), null)
  const row = page.getByRole('row').filter({ hasText: logged.model! })
  await row.getByText('Web').waitFor()
  const exporting = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  assert.ok(readFileSync(await (await exporting).path(), 'utf8').includes(logged.id))

  await row.getByRole('link').click()
  await page.getByRole('heading', { name: 'Request', level: 1 }).waitFor()
  await page.getByText(logged.id, { exact: true }).waitFor()
  await page.getByText(`It was answered with 200 and cost $${logged.cost_usd}.`).waitFor()
  await page.getByText(`Charged: $${logged.cost_usd}`).waitFor()
  await page.getByText(`$${logged.reserved_usd} for`).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Requests' }).click()
  await row.waitFor()
  assert.deepEqual([parameter('key'), parameter('status')], [keyId, '2xx'], 'the link back keeps the filters')

  await page.getByRole('button', { name: 'Clear all' }).click()
  const byId = page.getByLabel('Open a request by its id')
  await byId.fill(keyId)
  await page.keyboard.press('Enter')
  await page.getByText('Enter the whole id').waitFor()
  assert.equal(await chatOutcome(client, 'no-such-model'), '403 model_not_allowed')
  await page.getByRole('row').filter({ hasText: '403' }).getByRole('link').click()
  await page.getByRole('link', { name: 'Web', exact: true }).waitFor()
  await page.getByRole('link', { name: 'What to do about model_not_allowed' }).click()
  await page.getByRole('heading', { name: 'model_not_allowed' }).waitFor()
  await page.goto('/dashboard/requests/req_00000000-0000-4000-8000-000000000000')
  await page.getByText('There is no such request in the log').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})
