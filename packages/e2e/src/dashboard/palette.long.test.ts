import assert from 'node:assert/strict'
import type { Key } from '@tollgate/contracts/http/keys.ts'
import t from 'tap'
import type { Person } from '../person.ts'
import { visit } from './browser.ts'
import { accessibilityProblems } from './check-page.ts'
import { untilLogged } from './use-page.ts'
import { browser, hostile, joinAda, openWorld, system } from './world.ts'

let ada: Person
t.before(async () => {
  await openWorld(t)
  if (browser !== null) ada = await joinAda()
})

t.test('the keyboard alone goes to pages, keys, models, members and requests, and runs actions', async () => {
  if (browser === null) return
  const request = (await untilLogged(ada)).id
  const { keys } = (await ada.call<{ keys: Key[] }>('GET', '/api/keys')).body
  const { prefix } = keys.find(({ label }) => label === hostile)!
  const { page, context, complaints } = await visit(browser, system, { person: ada })
  await page.goto('/dashboard')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  // The HTML has the heading too, before the page listens to keys.
  await page.locator('#first-view').waitFor({ state: 'detached' })
  const palette = page.getByRole('dialog', { name: 'Go to or run' })
  const run = async (typed: string, option: string) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type(typed)
    await palette.getByRole('option', { name: option }).and(page.locator('[data-highlighted]')).waitFor()
    await page.keyboard.press('Enter')
    await palette.waitFor({ state: 'detached' })
  }
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

  await run('audit', 'Audit log')
  await heading('Audit log')
  await run(`tg_${prefix}`, hostile)
  await heading(hostile)
  await run('4o-mini', 'gpt-4o-mini')
  await heading('Requests')
  assert.equal(new URL(page.url()).searchParams.get('model'), 'gpt-4o-mini')
  await run(ada.email, ada.email)
  await heading('Team')
  await run(request, `Open the request ${request}`)
  await heading('Request')
  await run('create key', 'Create key')
  await page.getByRole('dialog', { name: 'Create a key' }).getByLabel('Label').and(page.locator(':focus')).waitFor()
  // An open dialog keeps the keyboard.
  await page.keyboard.press('ControlOrMeta+k')
  assert.equal(await palette.count(), 0)
  await page.keyboard.press('Escape')
  await run('dark', 'Use the dark theme')
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')

  const button = page.getByRole('button', { name: 'Search' }).filter({ visible: true })
  await button.focus()
  await page.keyboard.press('Enter')
  await palette.waitFor()
  for (const width of [360, 1920]) {
    await page.setViewportSize({ width, height: 740 })
    assert.deepEqual(await accessibilityProblems(page), [], `${width} px`)
  }
  await page.keyboard.type('there is no such thing')
  await page.getByText('Nothing found.').waitFor()
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 1280, height: 740 })

  await run('sign out', 'Sign out')
  await heading('Sign in')
  assert.deepEqual(complaints, [])
  await context.close()
})
