import assert from 'node:assert/strict'
import type { BrowserContext } from 'playwright-core'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

/** Cuts the answer of the next call to an address. The call itself reaches control. */
async function loseNext(context: BrowserContext, method: string, address: string | RegExp): Promise<void> {
  let isLost = false
  await context.route(address, async (route) => {
    if (isLost || route.request().method() !== method) return route.continue()
    isLost = true
    await route.fetch()
    return route.abort()
  })
}

t.test('a webhook endpoint is created only once, even if the answer is lost', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join()
  const { page, context } = await visit(browser, system, { person: owner })
  await loseNext(context, 'POST', '**/api/webhooks')
  await page.goto('/dashboard/webhooks')
  await page.getByRole('button', { name: 'Create endpoint' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('http://127.0.0.1:1024/once')
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  await dialog.getByText('The server cannot be reached').waitFor()
  // The list below the dialog shows what is the case.
  await page.getByText('http://127.0.0.1:1024/once').waitFor({ state: 'attached' })
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  assert.match(String(await page.locator('[data-secret]').textContent()), /^whsec_/)
  const { body } = await owner.call<{ endpoints: object[] }>('GET', '/api/webhooks')
  assert.equal(body.endpoints.length, 1)
  await context.close()
})

t.test('joining and inviting end well, even if answers are lost', async () => {
  if (browser === null) return
  const owner = await new Person(system, 'owner').join('team')
  const member = await new Person(system, 'member').join()
  const { body } = await owner.call<{ invitation: { link: string } }>('POST', '/api/team/seats', {
    email: member.email
  })
  await owner.call('POST', '/api/team/seats', { email: 'grace-without-answer@example.com' })
  const theirs = await visit(browser, system, { person: member })
  await loseNext(theirs.context, 'POST', /\/accept$/)
  await theirs.page.goto(body.invitation.link)
  const join = theirs.page.getByRole('button', { name: 'Join the team' })
  await join.click()
  await theirs.page.getByText('The server cannot be reached').waitFor()
  await join.click()
  await theirs.page.getByRole('heading', { name: 'Team', level: 1 }).waitFor()
  await theirs.context.close()

  const { page, context } = await visit(browser, system, { person: owner })
  await loseNext(context, 'DELETE', '**/api/team/seats/*')
  await page.goto('/dashboard/team')
  await page.getByRole('button', { name: 'Withdraw the invitation to grace-without-answer@example.com' }).click()
  const withdraw = page.getByRole('dialog').getByRole('button', { name: 'Withdraw invitation' })
  await withdraw.click()
  await page.getByRole('dialog').getByText('The server cannot be reached').waitFor()
  await withdraw.click()
  await page.getByText('Invitation withdrawn.').waitFor()
  await page.getByText('No pending invitations').waitFor()
  await context.close()
})
