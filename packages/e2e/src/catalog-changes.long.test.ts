import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createClient } from '@supabase/supabase-js'
import type { CatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { Person } from './person.ts'
import { startTestSystem, type TestSystem } from './start-test-system.ts'
import { untilOutcome } from './until-outcome.ts'
import { writeCatalogWith } from './write-catalog.ts'

const nanosPerUsd = 1e9
const prices = { before: { input: 1, output: 2 }, after: { input: 10, output: 30 } }

interface Usage {
  prompt_tokens: number
  completion_tokens: number
}

/** Nanodollars at prices per million tokens. */
const costOf = (usage: Usage, { input, output }: { input: number; output: number }): number =>
  (usage.prompt_tokens * input + usage.completion_tokens * output) * 1000

/** A catalog with a slow model at these prices. */
function withPrices(file: string, usd_per_million_tokens: { input: number; output: number }): string {
  const catalog = parse(readFileSync(file, 'utf8')) as CatalogFile
  catalog.models.slow = { ...catalog.models.slow!, usd_per_million_tokens }
  return stringify(catalog)
}

async function becomeOperator(system: TestSystem, person: Person): Promise<Person> {
  const { auth } = createClient(system.addresses.identity, system.secrets.serviceRoleKey, {
    auth: { persistSession: false }
  })
  const { data } = await auth.admin.listUsers({ perPage: 1000 })
  const { id } = data.users.find(({ email }) => email === person.email)!
  const { error } = await auth.admin.updateUserById(id, { app_metadata: { role: 'operator' } })
  if (error !== null) throw error
  await person.login()
  return person
}

/** A customer with a key for the slow model. */
async function customer(system: TestSystem, name: string) {
  const person = await new Person(system, name).join('pro')
  const { value } = (await person.createKey('slow')).body.key
  return {
    ask: (words: number, stream: boolean) =>
      fetch(`${system.addresses.gateways[0]}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ model: 'slow', stream, messages: [{ role: 'user', content: `Say ${words} words.` }] },
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
  const file = writeCatalogWith(t.testdir(), { slow: 'x+pace-ms=20' })
  writeFileSync(file, withPrices(file, prices.before))
  const system = await startTestSystem(t, { env: { CATALOG_FILE: file } })
  const operator = await becomeOperator(system, await new Person(system, 'operator').join())
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

  const reader = (await bob.ask(100, true)).body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader.read()).value!
  const applied = await operator.call('POST', '/api/admin/catalog', {
    ...{ yaml: withPrices(file, prices.after), reason: 'a test', password: operator.password }
  })
  assert.equal(applied.status, 200, JSON.stringify(applied.body))
  const { ms } = await untilOutcome(chargedPrice, 'new')
  t.comment(`${ms} ms after the operator had the answer, a request at the new price was charged`)
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
  const events = text.split('\n').filter((line) => line.startsWith('data: {'))
  const usages = events.map((line) => (JSON.parse(line.slice('data: '.length)) as { usage?: Usage | null }).usage)
  const expected = costOf(usages.findLast((usage) => usage != null)!, prices.before)
  await untilOutcome(async () => String(await bob.spentNanos()), String(expected))
})
