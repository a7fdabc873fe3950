import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { latestMail } from '@tollgate/sandbox/mailbox/read-mail.ts'
import type { Page } from 'playwright-core'
import t from 'tap'
import { Person } from '../../person.ts'
import { visit } from '../browser.ts'
import { choose } from '../choose.ts'
import { startReceiver } from '../receiver.ts'
import { untilLoaded } from '../until-loaded.ts'
import { browser, system } from '../world.ts'
import { readRequests } from './read-requests.ts'
import { operator } from './world.ts'

const model = 'gpt-4o-mini'

/** A customer with a key that works. */
async function newCustomer() {
  const person = await new Person(system, 'carla').join('pro')
  const { id, value } = (await person.createKey('Production')).body.key
  const ask = async () => {
    const answer = await fetch(`${system.addresses.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })
    })
    const body = (await answer.json()) as { error?: { code: string } }
    return answer.ok ? 'served' : `${answer.status} ${body.error?.code}`
  }
  assert.equal(await ask(), 'served')
  return { person, id, value, ask }
}

async function confirmAct(page: Page, name: string, { password = false } = {}): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('Agreed by phone')
  if (password) await dialog.getByLabel('Your password').fill(operator.password)
  await dialog.getByRole('button', { name, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

t.test('what an operator does in the browser is in force at the gateway when the page says so', async (t) => {
  if (browser === null) return
  const receiver = await startReceiver(t)
  const { person, value, ask } = await newCustomer()
  const { page, context, complaints } = await visit(browser, system, { person: operator })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const toast = (text: string) => page.getByRole('status').getByText(text).waitFor()
  const dialog = page.getByRole('dialog')

  await page.goto(`/dashboard/operator/accounts?q=${encodeURIComponent(person.email)}`)
  await page.getByRole('link', { name: person.email }).click()
  await readRequests(page, person)
  await button('Suspend account').click()
  await confirmAct(page, 'Suspend account')
  await toast('Account suspended.')
  assert.equal(await ask(), '403 account_suspended')
  await button('Resume account').click()
  await confirmAct(page, 'Resume account')
  await toast('Account resumed.')
  assert.equal(await ask(), 'served')

  await button('Set limits').click()
  await dialog.getByLabel('Monthly budget').fill('0')
  await confirmAct(page, 'Set limits')
  await toast('The limits apply now.')
  assert.equal(await ask(), '402 monthly_budget_exceeded')
  await button('Set limits').click()
  await dialog.getByLabel('Monthly budget').fill('5')
  await confirmAct(page, 'Set limits')
  assert.equal(await ask(), 'served')
  await button('Adjust usage').click()
  await choose(page, 'Effect', 'Charge: raises the spend of the account')
  await dialog.getByLabel('Amount').fill('5')
  await confirmAct(page, 'Adjust usage', { password: true })
  await toast('Charged $5.00')
  assert.equal(await ask(), '402 monthly_budget_exceeded')
  const spent = await person.call<{ spent_usd: string }>('GET', '/api/usage/summary')
  assert.ok(Number(spent.body.spent_usd) >= 5, 'the customer sees the charge')
  await button('Set limits').click()
  await dialog.getByLabel('Monthly budget').fill('')
  await dialog.getByLabel('Requests per minute').fill('1000')
  await confirmAct(page, 'Set limits')
  await toast('The limits apply now.')
  assert.equal(await ask(), 'served')

  await page.goto('/dashboard/operator/leaked-key')
  await page.getByLabel('Key, key id, or SHA-256 of the key').fill(value)
  await page.getByLabel('Where was it found?').fill('A public repository')
  await button('Revoke key').click()
  await page.getByText('The key is revoked').waitFor()
  assert.equal(await ask(), '401 revoked_api_key')
  // The mail follows the answer.
  let mail = ''
  const deadline = performance.now() + 30_000
  while (!mail.includes('Production')) {
    assert.ok(performance.now() < deadline, 'the owner gets a mail')
    mail = JSON.stringify(await latestMail(system.addresses.mailbox!, person.email))
    await delay(50)
  }
  assert.ok(!mail.includes(value))

  for (const title of ['System', 'Money', 'Operators’ notices', 'Operators’ log']) {
    await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await untilLoaded(page)
  }
  await page.getByText('Reason: A public repository').first().waitFor()

  await page.getByRole('navigation').getByRole('link', { name: 'Operators’ webhooks', exact: true }).click()
  await button('Create endpoint').first().click()
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  await button('I have copied it').click()
  await button('Send test event').click()
  const sent = page.getByRole('list', { name: 'Deliveries, newest first' }).getByRole('listitem')
  await sent.filter({ hasText: 'webhook.test' }).getByText('Delivered', { exact: true }).waitFor()
  assert.deepEqual(receiver.types, ['webhook.test'])

  await page.getByRole('navigation').getByRole('link', { name: 'Catalog', exact: true }).click()
  await button('Edit the catalog').click()
  const text = page.getByLabel('Catalog (YAML)')
  const yaml = await text.inputValue()
  const prices = /( {2}gpt-4o-mini:[\s\S]*?output: )([\d.]+)/
  assert.match(yaml, prices)
  await text.fill(yaml.replace(prices, (_, before: string, price: string) => before + Number(price) * 2))
  await button('Show what changes').click()
  await page.getByText('Output of gpt-4o-mini costs 100 % more.').waitFor()
  await button('Apply this catalog').click()
  await confirmAct(page, 'Apply catalog', { password: true })
  await toast('Catalog version 2 is in force.')
  // On a low screen the toast lies over the button. It stays while the pointer is on it.
  await page.mouse.move(0, 0)
  await page.getByText('Catalog version 2 is in force.').waitFor({ state: 'detached' })
  await page
    .getByRole('button', { name: /^Apply again version/ })
    .first()
    .click()
  await page.getByText('Output of gpt-4o-mini costs 50 % less.').waitFor()
  await page.getByRole('button', { name: /^Apply version \d+ again$/ }).click()
  await confirmAct(page, 'Apply catalog', { password: true })
  await toast('Catalog version 3 is in force.')

  await page.goto(`/dashboard/operator/accounts?q=${encodeURIComponent(person.email)}`)
  await page.getByRole('link', { name: person.email }).click()
  await button('Delete account').click()
  await dialog.getByLabel('Type the owner’s address to confirm').fill(person.email)
  await confirmAct(page, 'Delete account', { password: true })
  await toast('Account deleted.')
  assert.equal((await person.me()).status, 401)
  assert.deepEqual(complaints, [])
  await context.close()
})
