import { setTimeout as delay } from 'node:timers/promises'
import { cappedModels } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { type SeededKey, seedAccounts } from '../system/seed.ts'
import { rawChat } from './raw-chat.ts'
import type { Sent } from './sent.ts'

/** What a request of this traffic reserves at most, and about what it costs; nanodollars. */
export const mostNanosEach = 200_000
const usualNanosEach = 30_000
/** Reached before the fault, about when it comes, and later. */
const requestsWithin = [5, 20, 60] as const
const workers = 3
const pauseMs = 250
/** Who is refused asks less often, but goes on: no fault may open a cap again. */
const pauseOfRefusedMs = 500

export type CappedAccount = {
  id: string
  key: SeededKey
  model: (typeof cappedModels)[number]
  capNanos: number
}

/** A refusal for want of budget, and what the budget had to pay for. */
export type BudgetRefusal = Sent & { neededNanos: number }

export type CappedTraffic = {
  readonly accounts: readonly CappedAccount[]
  readonly sent: readonly Sent[]
  readonly refusals: readonly BudgetRefusal[]
  stop(): Promise<void>
}

/** Adds accounts with a cap of their own, each with one key and a model that nobody else uses. */
export async function seedCapped({ sql }: ChaosSystem): Promise<CappedAccount[]> {
  const accounts: CappedAccount[] = []
  for (const [index, model] of cappedModels.entries()) {
    const capNanos = requestsWithin[index]! * usualNanosEach
    const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: capNanos })
    accounts.push({ id: account!.id, key: account!.keys[0]!, model, capNanos })
  }
  return accounts
}

/** Spends what accounts may spend, from several clients at once, by all gateways. */
export function startCappedTraffic(accounts: readonly CappedAccount[], { gateways }: ChaosSystem): CappedTraffic {
  const sent: Sent[] = []
  const refusals: BudgetRefusal[] = []
  const stopping = new AbortController()

  async function work(account: CappedAccount, worker: number): Promise<void> {
    const body = {
      model: account.model,
      stream: true,
      max_tokens: 40,
      messages: [{ role: 'user', content: 'Say 12 words.' }]
    }
    for (let number = worker; !stopping.signal.aborted; number++) {
      const one = await rawChat(gateways[number % gateways.length]!.url, account.key, body)
      sent.push(one)
      if (one.outcome.startsWith('402')) {
        refusals.push({ ...one, neededNanos: Math.round(Number(one.refusal?.needed_usd) * 1e9) })
      }
      await delay(one.outcome === '200' ? pauseMs : pauseOfRefusedMs)
    }
  }
  const working = accounts.flatMap((account) => Array.from({ length: workers }, (_, worker) => work(account, worker)))
  return {
    accounts,
    sent,
    refusals,
    async stop() {
      stopping.abort()
      await Promise.all(working)
    }
  }
}
