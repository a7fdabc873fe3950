import assert from 'node:assert/strict'
import t from 'tap'
import { Person } from '../person.ts'
import { untilOutcome } from '../until-outcome.ts'
import { visit } from './browser.ts'
import { choose } from './use-page.ts'
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
    // The playground has no key with a page of its own.
    await receipt.getByRole('main').getByRole('link', { name: 'Playground' }).click()
    await receipt.getByRole('heading', { name: 'Playground', level: 1 }).waitFor()
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

t.test(
  'the end of each answer is above the message input, and a reload keeps the conversation until sign-out',
  async () => {
    if (browser === null) return
    const person = await new Person(system, 'cleo').join()
    for (const viewport of [
      { width: 800, height: 600 },
      { width: 1280, height: 720 }
    ]) {
      const { page, context, complaints } = await visit(browser, system, { person, viewport })
      await page.goto('/dashboard/playground')
      for (const nth of [0, 1, 2]) {
        await page.getByLabel('Message').fill('Say 150 words.')
        await page.keyboard.press('Enter')
        const end = page.getByRole('article').nth(nth).getByRole('button', { name: 'Copy the answer' })
        await end.waitFor()
        const isInSight = async () => {
          const [seen, input] = [await end.boundingBox(), await page.getByLabel('Message').boundingBox()]
          return String(seen !== null && input !== null && seen.y > 0 && seen.y + seen.height <= input.y)
        }
        await untilOutcome(isInSight, 'true')
      }
      await page.getByLabel('Message').fill('not sent yet')
      await page.reload()
      await page.getByRole('article').nth(2).getByText('First token').waitFor()
      assert.equal(await page.getByLabel('Message').inputValue(), 'not sent yet')
      await page.getByRole('link', { name: 'Receipt' }).first().waitFor()
      if (viewport.width === 800) {
        await page.getByRole('button', { name: 'Clear' }).click()
        await page.reload()
        await page.getByText('Start a conversation').waitFor()
      } else {
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByLabel('E-mail address').waitFor()
        assert.equal(await page.evaluate('sessionStorage.length'), 0, 'nothing is left after sign-out')
      }
      assert.deepEqual(complaints, [])
      await context.close()
    }
  }
)
