import assert from 'node:assert/strict'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

t.test('the bell counts what is unread, looks again each minute, and forgets what was marked as read', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('team')
  const revoke = async (label: string) => owner.revokeKey((await owner.createKey(label)).body.key.id)
  await revoke('Old website')
  const { page, context, complaints } = await visit(browser, system, { person: owner })
  const bell = (name: string) => page.getByRole('button', { name, exact: true })
  const focused = page.locator(':focus')
  await page.clock.install()
  await page.goto('/dashboard')
  await bell('Notices, 1 unread').focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Notices' })
  await dialog.getByText('Key “\u2068Old website\u2069” was revoked.').waitFor()
  await dialog.getByRole('button', { name: 'Mark all as read' }).click()
  await bell('Notices').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await bell('Notices').and(focused).waitFor()

  await revoke('Old app')
  await page.clock.fastForward(60_000)
  await bell('Notices, 1 unread').click()
  await dialog.getByRole('link', { name: 'See all notices' }).click()
  await page.getByRole('heading', { name: 'Notices', level: 1 }).and(focused).waitFor()
  const list = page.getByRole('list', { name: 'Notices, newest first' })
  await list.getByText('Old app').first().waitFor()
  assert.equal(await list.getByText('Unread:').count(), 1, 'only the new revocation is unread')
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await bell('Notices').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

t.test('a user chooses mails and thresholds, and finds them again', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('team')
  const { page, context } = await visit(browser, system, { person: owner })
  const thresholds = page.getByLabel('Thresholds of the account')
  const save = page.getByRole('button', { name: 'Save notifications' })
  await page.goto('/dashboard/account')
  assert.ok(await page.getByLabel('Account (always on)').isDisabled())
  await page.getByLabel(/^Budgets/).uncheck()
  await thresholds.fill('0')
  await save.click()
  await page.getByText('Enter whole numbers from 1 to 100').waitFor()
  await thresholds.fill('90 %, 25')
  await save.click()
  await page.getByText('Notifications saved.').waitFor()
  await page.reload()
  await save.waitFor()
  assert.equal(await thresholds.inputValue(), '25, 90')
  assert.ok(!(await page.getByLabel(/^Budgets/).isChecked()))
  assert.ok(await page.getByLabel(/^Keys/).isChecked())
  await context.close()
})
