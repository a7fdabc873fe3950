import assert from 'node:assert/strict'
import t from 'tap'
import { Person } from '../person.ts'
import { visit } from './browser.ts'
import { choose } from './choose.ts'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

t.test(
  'the playground asks each model with its own API, and its conversation outlasts a look at other pages',
  async () => {
    if (browser === null) return
    const person = await new Person(system, 'clara').join()
    const { page, context, complaints } = await visit(browser, system, { person })
    await page.goto('/dashboard/playground?model=claude-haiku-5-5')
    await choose(page, 'Compare with', 'gpt-4o-mini')
    await page.getByLabel('Message').fill('Say 20 words.')
    // The second click lands on Stop, which must not cancel the question.
    await page.getByRole('button', { name: 'Send', exact: true }).dblclick()
    for (const model of ['claude-haiku-5-5', 'gpt-4o-mini']) {
      const answer = page.getByRole('article', { name: `Answer of ${model}` })
      await answer.getByText('First token').waitFor()
      assert.match(String(await answer.textContent()), /Cost\$0\.0\d+Input\d+ tokensOutput\d+ tokens/)
    }
    await page.getByRole('button', { name: 'Show as code' }).click()
    await page.getByText('/v1/messages').waitFor()
    await page.keyboard.press('Escape')
    const answer = page.getByRole('article', { name: 'Answer of claude-haiku-5-5' })
    const [receipt] = await Promise.all([
      context.waitForEvent('page'),
      answer.getByRole('link', { name: 'Receipt' }).click()
    ])
    await receipt.getByRole('heading', { name: 'Request', level: 1 }).waitFor()
    await answer.waitFor()
    await page.getByLabel('Message').fill('typed before')
    await page.getByRole('link', { name: 'Usage', exact: true }).click()
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await page.goBack()
    await answer.getByText('First token').waitFor()
    assert.equal(await page.getByLabel('Message').inputValue(), 'typed before')
    // The token of the playground is no key.
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Create a key' }).waitFor()
    assert.deepEqual(complaints, [])
    await context.close()
  }
)
