import type { Account } from '@tollgate/contracts/http/account.ts'
import type { CreatedKey, Key } from '@tollgate/contracts/http/keys.ts'
import { buyPlan } from './buy-plan.ts'
import { type DemoKey, demoKeys } from './demo-keys.ts'
import { type DemoSession, signInDemoUser } from './demo-session.ts'
import { historyDays, type PastKey, pastUsage } from './past-usage.ts'
import { storeUsage } from './store-usage.ts'
import { untilInForce } from './until-in-force.ts'

/** The demo's share of the plan's monthly budget. It leaves enough for new requests. */
const shareOfBudget = 0.7
const dayMs = 86_400_000

export interface DemoDataOptions {
  /** The origin of control. */
  readonly control: string
  readonly redis: string
  /** The origin of the embedded payments server; null without one: then the demo user gets no subscription. */
  readonly payments: string | null
  /** Whether the requests get receipts. */
  readonly isLogged: boolean
  /** Adds nothing to an account that has, or had, any key. */
  readonly onlyIfNew: boolean
}

/**
 * Gives the demo user of the running system a subscription, keys and two months of usage. It does not change existing keys.
 *
 * @returns how much was added; null if the user has demo data already, or is not new
 * @throws SystemError if a part of the system does not answer
 */
export async function addDemoData(options: DemoDataOptions): Promise<{ keys: number; requests: number } | null> {
  const session = await signInDemoUser(options.control)
  const { keys: existing } = await session.call<{ keys: Key[] }>('GET', '/api/keys?limit=1000&include_revoked=true')
  if (options.onlyIfNew && existing.length > 0) return null
  const labels = new Set(existing.flatMap(({ label, status }) => (status === 'revoked' ? [] : [label])))
  const missing = demoKeys.filter(({ label }) => !labels.has(label))
  if (missing.length === 0) return null
  const now = new Date()
  const joinedAt = timeOfDay(now, historyDays + 1, '10:12:35')
  if (options.payments !== null) await buyPlan(session, options.payments, joinedAt)
  const keys = new Map<string, PastKey>()
  for (const key of missing) {
    const usedFrom = timeOfDay(now, key.firstUsed.daysAgo, key.firstUsed.time)
    keys.set(await createKey(session, key), { ...key, usedFrom: Math.ceil(usedFrom.getTime() / 1000) })
  }
  const { account } = await session.call<{ account: Account }>('GET', '/api/account')
  const requests = pastUsage({
    now: Math.floor(now.getTime() / 1000),
    keys,
    models: account.models,
    maxNanos: account.plan_monthly_budget_usd * 1e9 * shareOfBudget,
    random: Math.random
  })
  await storeUsage(options.redis, account.id, requests, { models: account.models, isLogged: options.isLogged })
  return { keys: keys.size, requests: requests.length }
}

/** @param time of the day, UTC: `08:30:00` */
function timeOfDay(now: Date, daysAgo: number, time: string): Date {
  return new Date(`${new Date(now.getTime() - daysAgo * dayMs).toISOString().slice(0, 10)}T${time}Z`)
}

/** Creates a key. @returns its id when Redis has the key: Redis counts no spend of unknown keys */
async function createKey(session: DemoSession, key: DemoKey): Promise<string> {
  const { label, metadata, monthlyBudgetUsd, requestsPerMinute } = key
  const body = { label, metadata, monthly_budget_usd: monthlyBudgetUsd, requests_per_minute: requestsPerMinute }
  const { id } = (await session.call<{ key: CreatedKey }>('POST', '/api/keys', body)).key
  await untilInForce(
    async () => (await session.call<{ key: { in_force: boolean } }>('GET', `/api/keys/${id}`)).key.in_force,
    `The key "${label}" did not reach Redis in time. Check the log of control, then try again.`
  )
  return id
}
