import t from 'tap'
import { ada } from './ada.ts'
import { visit } from './browser.ts'
import { browser, system } from './world.ts'

t.test('waiting for a paid plan ends with an explanation, and can be resumed', async () => {
  if (browser === null) return
  const { page, context } = await visit(browser, system, { person: ada })
  await page.clock.install()
  await page.goto('/dashboard/billing?success=1')
  await page.getByText('Your new plan is being set up').waitFor()
  await page.clock.fastForward(61_000)
  await page.getByText('Your plan is not active yet').waitFor()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Your new plan is being set up').waitFor()
  await context.close()
})
