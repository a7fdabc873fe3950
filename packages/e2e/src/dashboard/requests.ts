import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { chatOutcome, openaiClient } from '../openai-client.ts'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { choose } from './choose.ts'
import { untilLogged } from './until-logged.ts'
import { browser, system } from './world.ts'

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
  await choose(page, 'Status', 'Successful (2xx)')
  assert.equal(new URL(page.url()).searchParams.get('status'), '2xx', 'the filter is in the address')
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
  await page.goto('/dashboard/requests/req_00000000-0000-4000-8000-000000000000')
  await page.getByText('There is no such request in the log').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})
