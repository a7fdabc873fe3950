import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { UsedKeyBudget } from '@tollgate/contracts/http/budgets.ts'
import type { CatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { ask } from '../metering/ask.ts'
import type { OperatedSystem } from '../operation/start-operated-system.ts'
import type { Failure, Person } from '../person.ts'
import { applyCatalog, changeCatalog, changedCatalog } from '../write-catalog.ts'

/** The only requests to this model are those of this file. */
const model = 'gpt-4o'
const question = { model, max_tokens: 50, messages: [{ role: 'user', content: 'Say 50 words.' }] }

/** USD per million tokens: other prices than the provider bills. */
const listPrices = { input: 40, output: 80 }
/** For some requests at the list prices. */
const budgets = [{ window: 'day', limit_usd: 0.02 }]

const setListPrices = (catalog: CatalogFile) => {
  catalog.models[model] = { ...catalog.models[model]!, retail: { usd_per_million_tokens: listPrices } }
}

interface Usage {
  prompt_tokens: number
  completion_tokens: number
  /** USD. The previous release refuses requests that ask for it. */
  cost?: number
}

/** Nanodollars at prices in USD per million tokens. */
const costOf = (usage: Usage, { input, output }: { input: number; output: number }): number =>
  Math.round((usage.prompt_tokens * input + usage.completion_tokens * output) * 1000)

/** List prices and a budget of a day, which gateways of the previous release do not know. */
export interface NewTerms {
  /** Control refuses both, because a gateway of the previous release runs. */
  areRefused(mixture: string): Promise<void>
  /** Sets both, and asks through all gateways: each charge is the list price, and the budget counts and refuses it. */
  areEnforced(): Promise<void>
  /** Publishes a catalog without list prices, as operators do before a rollback. */
  removeListPrices(): Promise<void>
  /** A gateway of the previous release charges what the provider bills, and spends past the budget. */
  areIgnoredBy(gateway: string): Promise<void>
  /** What the key was charged so far, nanodollars. */
  chargedNanos(): number
}

/**
 * @param operator may apply catalogs
 * @param owner owns the key, which nobody else uses
 */
export function newTerms(
  { system }: Pick<OperatedSystem, 'system'>,
  operator: Person,
  owner: Person,
  key: { readonly id: string; readonly secret: string }
): NewTerms {
  let charged = 0
  let removeListPrices = async (): Promise<void> => {}
  let bills = { input: 0, output: 0 }

  const setBudgets = () => owner.call<Failure>('PATCH', `/api/keys/${key.id}`, { budgets })

  async function readBudget(): Promise<UsedKeyBudget> {
    const { body } = await owner.call<{ key: { budgets: UsedKeyBudget[] } }>('GET', `/api/keys/${key.id}`)
    assert.equal(body.key.budgets.length, 1)
    return body.key.budgets[0]!
  }

  /** @returns the usage, or the code of the refusal */
  async function askOnce(gateway: string, more: object): Promise<Usage | string> {
    const { text, error } = await ask(gateway, key.secret, { ...question, ...more })
    return error === null ? (JSON.parse(text) as { usage: Usage }).usage : error.code
  }

  /** @returns whether the request was admitted; if so, its charge was the list price */
  async function askAtListPrice(gateway: string): Promise<boolean> {
    const usage = await askOnce(gateway, { usage: { include: true } })
    if (typeof usage === 'string') {
      assert.equal(usage, 'budget_exceeded')
      return false
    }
    assert.equal(Math.round(usage.cost! * 1e9), costOf(usage, listPrices), 'the charge is the list price')
    charged += costOf(usage, listPrices)
    return true
  }

  return {
    async areRefused(mixture) {
      const yaml = await changedCatalog(operator, setListPrices)
      const catalog = await operator.call<Failure>('POST', '/api/admin/catalog', { yaml, reason: 'a test' })
      assert.deepEqual([catalog.status, catalog.body.error?.code], [400, 'catalog_refused'], mixture)
      assert.match(catalog.body.error.message, /of a release that charges what providers bill/, mixture)
      const budget = await setBudgets()
      assert.deepEqual([budget.status, budget.body.error?.code], [400, 'invalid_request'], mixture)
      assert.match(budget.body.error.message, /^budgets: a gateway of an older release is running/, mixture)
    },
    async areEnforced() {
      const before = await changedCatalog(operator, ({ models }) => {
        bills = models[model]!.usd_per_million_tokens as typeof bills
      })
      removeListPrices = async () => void (await applyCatalog(operator, before))
      // The list prices end with `removeListPrices`, not with the run.
      await changeCatalog({ teardown: () => {} }, operator, setListPrices)
      assert.equal((await setBudgets()).status, 200)
      const { use } = await readBudget()
      for (const gateway of system.addresses.gateways) assert.ok(await askAtListPrice(gateway))
      while (await askAtListPrice(system.addresses.gateway)) {}
      for (;;) {
        const { use: now } = await readBudget()
        // At midnight it begins again, and has nothing to compare.
        if (now?.resets_at !== use?.resets_at) break
        if (now !== null && Number(now.reserved_usd) === 0) {
          assert.equal(Math.round(Number(now.spent_usd) * 1e9), charged, 'the budget counts the list prices')
          break
        }
        await delay(50)
      }
    },
    removeListPrices: () => removeListPrices(),
    async areIgnoredBy(gateway) {
      const usage = await askOnce(gateway, {})
      if (typeof usage === 'string') assert.fail(`a gateway of the previous release refuses: ${usage}`)
      charged += costOf(usage, bills)
    },
    chargedNanos: () => charged
  }
}
