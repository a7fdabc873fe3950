import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { choose } from './use-page.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

t.test('an owner sees who changed a key, finds other changes in the audit log, and exports them', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('team')
  const { id } = (await owner.createKey('Web')).body.key
  await owner.createKey('Mobile')
  await owner.call('PATCH', `/api/keys/${id}`, { label: 'Website', monthly_budget_usd: 5 })
  const { page, context, complaints } = await visit(browser, system, { person: owner })
  await page.goto(`/dashboard/keys/${id}`)
  await page.getByText(`${owner.email} created the key`).waitFor()
  await page.getByText(`${owner.email} changed the key`).waitFor()
  await page.getByText('from none to $5.00').waitFor()
  await page.getByRole('button', { name: 'Copy the key id' }).waitFor()

  await page.getByRole('link', { name: 'All changes of this key' }).click()
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()
  const entries = page.getByRole('list', { name: 'Entries, newest first' }).getByRole('listitem')
  await entries.nth(1).waitFor()
  assert.equal(await entries.count(), 2)
  await page.getByRole('button', { name: `Remove filter: Only about` }).click()
  await entries.filter({ hasText: 'Mobile' }).waitFor()

  await page.getByLabel('Search the audit log').fill('MOBILE')
  await entries.filter({ hasText: 'Website' }).waitFor({ state: 'detached' })
  assert.equal(await entries.count(), 1)
  assert.equal(new URL(page.url()).searchParams.get('q'), 'MOBILE', 'the search is in the address')
  const exporting = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const lines = readFileSync(await (await exporting).path(), 'utf8')
    .trim()
    .split('\r\n')
  assert.equal(lines.length, 2)
  assert.match(lines[1]!, /Mobile/)

  await choose(page, 'Change', 'Team: all')
  await page.getByText('No matching entries').waitFor()
  await page.getByLabel('Search the audit log').fill('')
  await choose(page, 'Change', 'Changed a key')
  await entries.filter({ hasText: 'changed the key' }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Website', level: 1 }).waitFor()
  await page.goBack()
  await choose(page, 'Who', 'This service')
  await page.getByText('No matching entries').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})
