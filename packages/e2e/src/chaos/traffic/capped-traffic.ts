import { setTimeout as delay } from 'node:timers/promises'
import { cappedModels } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { type SeededKey, seedAccounts } from '../system/seed.ts'
import { apiOf, questionTo } from './questions.ts'
import { rawAsk } from './raw-chat.ts'
import type { Sent } from './send-steadily.ts'

/** Maximum reservation of one request, and its typical cost; nanodollars. */
export const maxNanosEach = 200_000
const typicalNanosEach = 30_000
/** Caps in requests, besides room for the reservation of one. Traffic reaches one before the fault, one around it, and one after it. */
const requestsWithin = [5, 20, 60] as const
const workers = 3
const pauseMs = 250
/** A refused client continues more slowly, to show that no fault opens a cap again. */
const refusedPauseMs = 500

export interface CappedAccount {
  id: string
  key: SeededKey
  model: (typeof cappedModels)[number]
  capNanos: number
}

/** A 402 answer, with the amount that the request needed. */
export interface BudgetRefusal extends Sent {
  neededNanos: number
}

export interface CappedTraffic {
  readonly accounts: readonly CappedAccount[]
  readonly sent: readonly Sent[]
  readonly refusals: readonly BudgetRefusal[]
  stop(): Promise<void>
}

/** Adds accounts, each with its own cap, one key, and a model that no other traffic uses. */
export async function seedCapped({ sql, plan }: ChaosSystem): Promise<CappedAccount[]> {
  const accounts: CappedAccount[] = []
  for (const [index, model] of cappedModels.entries()) {
    const capNanos = requestsWithin[index]! * typicalNanosEach + maxNanosEach
    const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: capNanos, plan })
    accounts.push({ id: account!.id, key: account!.keys[0]!, model, capNanos })
  }
  return accounts
}

/** Spends the caps from several clients at once, through all gateways. */
export function startCappedTraffic(accounts: readonly CappedAccount[], { gateways }: ChaosSystem): CappedTraffic {
  const sent: Sent[] = []
  const refusals: BudgetRefusal[] = []
  const stopping = new AbortController()

  async function work(account: CappedAccount, worker: number): Promise<void> {
    const question = { model: account.model, stream: true, maxTokens: 40, text: 'Say 12 words.' }
    for (let number = worker; !stopping.signal.aborted; number++) {
      const api = apiOf(number * 2)
      const { url } = gateways[number % gateways.length]!
      const one = await rawAsk(url, account.key, api, questionTo(api, question))
      sent.push(one)
      if (one.outcome.startsWith('402')) {
        refusals.push({ ...one, neededNanos: Math.round(Number(one.refusal?.needed_usd) * 1e9) })
      }
      await delay(one.outcome === '200' ? pauseMs : refusedPauseMs)
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
