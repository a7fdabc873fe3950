import assert from 'node:assert/strict'
import type { CatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import t from 'tap'
import { Person } from './person.ts'
import { sharedSystem, type TestSystem } from './start-test-system.ts'
import { untilOutcome } from './until-outcome.ts'
import { applyCatalog, changeCatalog, changedCatalog } from './write-catalog.ts'

const nanosPerUsd = 1e9
const prices = { before: { input: 1, output: 2 }, after: { input: 10, output: 30 } }

interface Usage {
  prompt_tokens: number
  completion_tokens: number
}

/** Nanodollars at prices per million tokens. */
const costOf = (usage: Usage, { input, output }: { input: number; output: number }): number =>
  (usage.prompt_tokens * input + usage.completion_tokens * output) * 1000

/** Sets the prices of a model that only this test uses. */
const price = (usd_per_million_tokens: { input: number; output: number }) => (catalog: CatalogFile) => {
  catalog.models.repriced = { ...catalog.models['gpt-4o-mini']!, usd_per_million_tokens }
}

/** A customer with a key for the repriced model. */
async function customer(system: TestSystem, name: string) {
  const person = await new Person(system, name).join('pro')
  const { value } = (await person.createKey('repriced')).body.key
  return {
    ask: (words: number, stream: boolean) =>
      fetch(`${system.addresses.gateways[0]}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'repriced',
          stream,
          messages: [{ role: 'user', content: `Say ${words} words. [sandbox+pace-ms=20]` }],
          ...(stream && { stream_options: { include_usage: true } })
        })
      }),
    async spentNanos() {
      const { body } = await person.call<{ spent_usd: string }>('GET', '/api/usage/summary')
      return Math.round(Number(body.spent_usd) * nanosPerUsd)
    }
  }
}

t.test('a request is charged by the prices in force when it was admitted, the next one by the new', async (t) => {
  const system = await sharedSystem()
  const operator = await new Person(system, 'operator').joinAsOperator()
  await changeCatalog(t, operator, price(prices.before))
  const [ada, bob] = [await customer(system, 'ada'), await customer(system, 'bob')]
  /** Asks once. @returns the price that was charged */
  const chargedPrice = async (): Promise<string> => {
    const before = await ada.spentNanos()
    const { usage } = (await (await ada.ask(3, false)).json()) as { usage: Usage }
    for (;;) {
      const charged = (await ada.spentNanos()) - before
      if (charged === costOf(usage, prices.before)) return 'old'
      if (charged === costOf(usage, prices.after)) return 'new'
      assert.equal(charged, 0, 'the request is settled at once, and by one of the prices')
    }
  }
  assert.equal(await chargedPrice(), 'old')

  const dearer = await changedCatalog(operator, price(prices.after))
  const reader = (await bob.ask(100, true)).body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader.read()).value!
  await applyCatalog(operator, dearer)
  const { ms } = await untilOutcome(chargedPrice, 'new')
  t.comment(`${ms} ms after the operator had the answer, a request at the new price was charged`)
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
  const events = text.split('\n').filter((line) => line.startsWith('data: {'))
  const usages = events.map((line) => (JSON.parse(line.slice('data: '.length)) as { usage?: Usage | null }).usage)
  const expected = costOf(usages.findLast((usage) => usage != null)!, prices.before)
  await untilOutcome(async () => String(await bob.spentNanos()), String(expected))
})
