import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { type SeededKey, seedAccounts } from '../system/seed.ts'
import { seedEndpoints } from '../system/webhook-receiver.ts'
import { questionTo, rawAsk } from './send-steadily.ts'

/** Large enough that the rest in which no request fits is below half a percent. */
const budgetNanos = 60_000_000
/** Some twenty of them use up a budget. */
const question = questionTo('chat', { model: 'noticed', stream: false, maxTokens: 3000, text: 'Say 3000 words.' })
const pauseMs = 400
/** Longer than any outage at the end of a fault. */
const spentWithinMs = 60_000

/** Percent. Accounts with one threshold get exactly one notice; the last one has the default thresholds. */
const thresholdsOfAccounts: ReadonlyArray<readonly number[] | null> = [[50], [80], [100], null]
const thresholdOfKey = 100

/** An account whose owner is told of its budget, or of that of its key. */
export interface NoticedAccount {
  id: string
  key: SeededKey
  email: string
  scope: 'account' | 'key'
  /** The only threshold; null for the default ones. */
  percent: number | null
}

/** Adds accounts with owners who get mails, and with webhook endpoints. */
export async function seedNoticed({ sql, system, receiver, plan }: ChaosSystem): Promise<NoticedAccount[]> {
  const noticed: NoticedAccount[] = []
  const add = async (scope: NoticedAccount['scope'], thresholds: readonly number[] | null) => {
    const budget = scope === 'key' ? { keyBudgetNanos: budgetNanos } : { ownCapNanos: budgetNanos }
    const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, plan, ...budget })
    const { id, keys } = account!
    const email = `${id}@tollgate.test`
    // Asked later: the identity provider does not know these people.
    await sql`
      insert into users (id, email, name, synced_at, checked_at)
      values (${id}, ${email}, '', now() + interval '1 day', now() + interval '1 day')`
    const column = scope === 'key' ? 'key_thresholds' : 'thresholds'
    if (thresholds !== null)
      await sql`insert into notice_settings ${sql({ account_id: id, [column]: [...thresholds] })}`
    noticed.push({ id, key: keys[0]!, email, scope, percent: thresholds?.[0] ?? null })
  }
  for (const thresholds of thresholdsOfAccounts) await add('account', thresholds)
  await add('key', [thresholdOfKey])
  const { secretsKey } = system.secrets
  await seedEndpoints(sql, { receiver, secretsKey, accounts: noticed.map(({ id }) => id) })
  return noticed
}

export interface BudgetTraffic {
  /** Resolves when all budgets are used up. @throws Error if that takes too long */
  finish(): Promise<void>
  stop(): Promise<void>
}

/** Uses up the budgets of noticed accounts, through all gateways. */
export function spendBudgets(accounts: readonly NoticedAccount[], { gateways }: ChaosSystem): BudgetTraffic {
  const stopping = new AbortController()
  let waitMs = pauseMs

  /** Resolves when the budget is used up, or when it is stopped. */
  async function spend({ key }: NoticedAccount): Promise<void> {
    for (let number = 0; !stopping.signal.aborted; number++) {
      const { outcome } = await rawAsk(gateways[number % gateways.length]!.url, key, 'chat', question)
      if (outcome.startsWith('402')) return
      await delay(outcome === '200' ? waitMs : pauseMs)
    }
  }
  const spending = Promise.all(accounts.map(spend))
  const stop = async () => {
    stopping.abort()
    await spending
  }
  return {
    async finish() {
      waitMs = 0
      const giveUp = setTimeout(() => stopping.abort(), spentWithinMs)
      await spending
      // Again: a new month may have begun, or Redis may have lost spend.
      await Promise.all(accounts.map(spend))
      clearTimeout(giveUp)
      if (stopping.signal.aborted) throw new Error(`budgets were not used up in ${spentWithinMs / 1000} s`)
    },
    stop
  }
}
