import { setTimeout as delay } from 'node:timers/promises'
import { cappedModels } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { type SeededKey, seedAccounts } from '../system/seed.ts'
import { apiOf, questionTo, rawAsk, type Sent, sdkAsk, sendSteadily } from './send-steadily.ts'

/** Maximum reservation of one request, and its typical cost; nanodollars. */
export const maxNanosEach = 200_000

const typicalNanosEach = 30_000

/**
 * Caps in requests, besides room for the reservation of one. Traffic reaches one before the fault, one around it, and
 * one after it.
 */
const requestsWithin = [5, 20, 60] as const

const workers = 3
const pauseMs = 250

/** A refused client continues more slowly, to show that no fault opens a cap again. */
const refusedPauseMs = 500

const rawPerSecond = 20
const sdkPerSecond = 10
const maxWords = 12

export interface SteadyTraffic {
  /** Directly to each gateway in turn, without retries. */
  readonly raw: readonly Sent[]
  /** Through the load balancer, with the official SDKs and their default retries. */
  readonly sdk: readonly Sent[]
  stop(): Promise<void>
}

/**
 * Sends requests of all APIs with keys of many accounts, alternating streams and single bodies. Only a fault can cause
 * a refusal.
 */
export function startSteadyTraffic({ accounts, gateways, balancer }: ChaosSystem): SteadyTraffic {
  const raw: Sent[] = []
  const sdk: Sent[] = []
  const someKey = () => {
    const { keys } = accounts[Math.floor(Math.random() * accounts.length)]!
    return keys[Math.floor(Math.random() * keys.length)]!
  }
  const words = () => 1 + Math.floor(Math.random() * maxWords)
  const loops = [
    sendSteadily(rawPerSecond, async (number) => {
      const api = apiOf(number)
      const body = questionTo(api, { model: 'steady', stream: number % 2 === 0, text: `Say ${words()} words.` })
      raw.push(await rawAsk(gateways[number % gateways.length]!.url, someKey(), api, body))
    }),
    sendSteadily(sdkPerSecond, async (number) => {
      sdk.push(await sdkAsk(apiOf(number), `http://127.0.0.1:${balancer.port}`, someKey(), words(), number % 2 === 0))
    })
  ]
  return {
    raw,
    sdk,
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    }
  }
}

interface CappedAccount {
  id: string
  key: SeededKey
  model: (typeof cappedModels)[number]
  capNanos: number
}

/** A 402 answer, with the amount that the request needed. */
interface BudgetRefusal extends Sent {
  neededNanos: number
}

export interface CappedTraffic {
  readonly accounts: readonly CappedAccount[]
  readonly sent: readonly Sent[]
  readonly refusals: readonly BudgetRefusal[]
  stop(): Promise<void>
}

const lifetime = { window: 'lifetime' } as const

/** How the accounts are capped, in turn: by a month's cap, by a budget for one model, and by a budget of the key. */
const capsOf = [
  (nanos: number) => ({ ownCapNanos: nanos }),
  (nanos: number, model: string) => ({
    budgets: { account: [{ ...lifetime, id: 1_000_001, nanos, models: [model] }] }
  }),
  (nanos: number) => ({ budgets: { key: [{ ...lifetime, id: 1_000_002, nanos }] } })
] as const

/** More than these clients use: only what leaks could reach them. */
const roomyLimits = { tokens: 1_000_000_000, running: 10 * workers }

/** Adds accounts, each with its own cap, one key, and a model that no other traffic uses. */
export async function seedCapped({ sql, plan }: ChaosSystem): Promise<CappedAccount[]> {
  const accounts: CappedAccount[] = []
  for (const [index, model] of cappedModels.entries()) {
    const capNanos = requestsWithin[index]! * typicalNanosEach + maxNanosEach
    const caps = capsOf[index]!(capNanos, model)
    const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, ...caps, limits: roomyLimits, plan })
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
