import assert from 'node:assert/strict'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { startReceiver } from './receiver.ts'
import { choose } from './use-page.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

t.test('an owner creates, tests, repairs, rotates, turns off and deletes a webhook endpoint', async (t) => {
  if (browser === null) return
  const receiver = await startReceiver(t)
  const owner = await new Person(system, 'owner').join('team')
  const { page, context, complaints } = await visit(browser, system, { person: owner })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const log = page.getByRole('list', { name: 'Deliveries, newest first' })
  const secret = async () => (await dialog.locator('[data-secret]').textContent()) ?? ''

  await page.goto('/dashboard/webhooks')
  await page.getByText('No webhook endpoints yet').waitFor()
  await button('Create endpoint').click()
  await dialog.getByLabel('Only selected types').check()
  await dialog.getByText('A key was created.').waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  await dialog.getByText('Enter the address of your server.').waitFor()
  await dialog.getByText('Select at least one type, or choose all events.').waitFor()
  await dialog.getByLabel('URL').fill('https://10.0.0.1/')
  await dialog.getByLabel('key.created').check()
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  await dialog.getByText('Must not lead to a private or reserved network.').waitFor()
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  await dialog.getByText('Copy the signing secret now').waitFor()
  const first = await secret()
  assert.match(first, /^whsec_/)
  await button('Done').click()
  await page.getByRole('heading', { name: 'Webhook endpoint', level: 1 }).waitFor()
  assert.ok(!(await page.content()).includes(first), 'the page no longer has the secret')

  await button('Send test event').click()
  await log.getByRole('listitem').filter({ hasText: 'webhook.test' }).getByText('Delivered').first().waitFor()
  receiver.status = 503
  await owner.createKey('Web')
  await page.reload()
  const failed = log.getByRole('listitem').filter({ hasText: 'key.created' }).first()
  await failed.waitFor()
  await failed.locator('summary').focus()
  await page.keyboard.press('Enter')
  await failed.getByText('The receiver answered 503').first().waitFor()
  await failed.getByRole('region', { name: 'the message' }).getByText('"label": "Web"').waitFor()
  await failed.getByRole('button', { name: 'Copy the message id' }).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.getByText('Deliveries fail').waitFor()
  receiver.status = 200
  await failed.getByRole('button', { name: 'Try now key.created' }).click()
  await failed.getByText('Delivered', { exact: true }).waitFor()
  assert.deepEqual(new Set(receiver.types), new Set(['webhook.test', 'key.created']))
  await page.getByText('Deliveries fail').waitFor({ state: 'detached' })

  await button('Rotate secret').click()
  await choose(page, 'Sign with the old secret, too, for', '1 hour')
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  await dialog.getByText('each message has two signatures').waitFor()
  assert.notEqual(await secret(), first)
  await button('Done').click()
  await page.getByText('Two secrets sign').waitFor()

  await page.getByRole('group', { name: 'Deliveries' }).getByText('Failed').click()
  await page.getByText('No such deliveries').waitFor()
  assert.equal(new URL(page.url()).search, '?status=failed', 'the filter is in the address')
  await button('Turn off').click()
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('This endpoint is off').waitFor()
  await button('Turn on').click()
  await page.getByText('This endpoint is off').waitFor({ state: 'detached' })
  await button('Delete').click()
  await dialog.getByRole('button', { name: 'Delete endpoint' }).click()
  await page.getByText('No webhook endpoints yet').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})
