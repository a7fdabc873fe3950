import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { Person } from '../person.ts'
import { chatOutcome, openaiClient } from '../start-test-system.ts'
import { visit } from './browser.ts'
import { choose, untilLogged } from './use-page.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

t.test('a customer reads charts by pointer and keyboard, and goes from a bar and a group to its requests', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'reader').join('team')
  const created = await owner.call<{ key: { id: string; value: string } }>('POST', '/api/keys', {
    label: 'Shop',
    metadata: { tenant: 'acme' }
  })
  assert.equal(await chatOutcome(openaiClient(system.addresses.gateways[0]!, created.body.key.value)), '200')
  const { model } = await untilLogged(owner)
  const { page, context, complaints } = await visit(browser, system, { person: owner })
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name)

  await page.goto('/dashboard')
  await page.getByRole('main').getByRole('link', { name: model! }).click()
  await page.locator('button[aria-pressed="true"]').getByText('This month').waitFor()
  const chart = page.getByRole('slider')
  await chart.focus()
  await page.keyboard.press('End')
  const values = String(await chart.getAttribute('aria-valuetext'))
  assert.match(values, new RegExp(`: ${model} \\$0\\.`), values)
  const tooltip = page.getByRole('figure').getByText(model!, { exact: true })
  await tooltip.waitFor()
  await page.keyboard.press('Escape')
  await tooltip.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Tokens by kind' }).click()
  const output = page.getByRole('button', { name: 'Output', exact: true })
  await output.focus()
  await page.keyboard.press('Space')
  assert.equal(await output.getAttribute('aria-pressed'), 'false', 'the legend hides a series')
  assert.equal(parameter('hide'), 'output,')
  await page.reload()
  await page.locator('button[aria-pressed="false"]').getByText('Output', { exact: true }).waitFor()

  await page.getByLabel('Compare with the range before').check()
  await page.getByRole('columnheader', { name: 'Cost before' }).waitFor()
  await page
    .getByText(/^new vs [A-Z][a-z]{2} 1\b/)
    .first()
    .waitFor()
  await choose(page, 'Group by', 'By tag: tenant')
  assert.equal(parameter('by'), 'metadata.tenant')
  await page.getByRole('button', { name: 'Choose days' }).click()
  const lastDay = parameter('to')
  await page.getByLabel('First day (UTC)').fill('2039-12-31')
  await page.getByText('The last day is before the first day').waitFor()
  assert.equal(parameter('to'), lastDay)
  await page.getByLabel('First day (UTC)').fill('2026-01-01')
  assert.equal(parameter('from'), '2026-01-01')
  await page.getByText('Tokens by kind per month').waitFor()
  await page.getByRole('link', { name: 'acme' }).click()
  await page.getByText('Tag tenant:').waitFor()
  await page.getByRole('row').filter({ hasText: model! }).waitFor()
  await page.getByRole('button', { name: /^Remove filter: Tag tenant/ }).click()
  await page.getByText('Tag tenant:').waitFor({ state: 'detached' })

  await page.goto(`/dashboard/keys/${created.body.key.id}`)
  await page.getByRole('link', { name: 'All usage of this key' }).click()
  assert.equal(parameter('key'), created.body.key.id)
  await choose(page, 'Model', model!)
  await page.getByRole('link', { name: model! }).click()
  await page.getByRole('row').filter({ hasText: model! }).waitFor()
  assert.deepEqual([parameter('key'), parameter('model')], [created.body.key.id, model])

  await page.goto('/dashboard/usage?range=day&show=latency&by=member')
  await page.getByRole('heading', { name: 'Whole range' }).waitFor()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  assert.match(readFileSync(await (await saving).path(), 'utf8'), /^start,member_id,member_name,measured_requests,/)
  await chart.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor()
  assert.match(String(parameter('from')), /T[0-9]{2}:00Z$/, 'a bar of one hour leads to its hour')
  assert.deepEqual(complaints, [])
  await context.close()
})
