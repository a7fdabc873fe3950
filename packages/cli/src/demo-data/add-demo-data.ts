import { setTimeout as delay } from 'node:timers/promises'
import type { Account, OfferedModel } from '@tollgate/contracts/http/account.ts'
import type { BillingPlan, OfferedPlan } from '@tollgate/contracts/http/billing.ts'
import type { CreatedKey, Key } from '@tollgate/contracts/http/keys.ts'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { noteUses } from '@tollgate/state/last-uses/last-uses.ts'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import { encodeReceipt } from '@tollgate/state/receipts/receipt-text.ts'
import { noteReceipts } from '@tollgate/state/receipts/receipts.ts'
import { addServed } from '@tollgate/state/served/served.ts'
import { settle } from '@tollgate/state/settlement/settle.ts'
import type { SettledRequest } from '@tollgate/state/settlement/settlement-sums.ts'
import { prepareAccount } from '@tollgate/state/wire/packed.ts'
import { SystemError } from '../system/system-error.ts'
import { accountBudgets, type DemoKey, demoKeys } from './demo-keys.ts'
import { pastServed } from './past-served.ts'
import { historyDays, type PastKey, type PastRequest, pastReceipt, pastUsage } from './past-usage.ts'

const requestsPerCall = 100

/** More than the receipts of all demo requests. */
const receiptBytes = 100_000_000

const connectTimeoutMs = 10_000

/** The request log keeps no older receipts, by default. */
const logSeconds = 30 * 86_400

/** The user who can sign in after the first start. */
export const demoUser = { email: 'demo@tollgate.local', password: 'tollgate-demo', name: 'Demo' } as const

/** A slow computer that is busy with demo data may answer late. */
const patienceMs = 60_000

/** A busy machine may need a minute. */
const timeoutMs = 120_000

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
 * Gives the demo user of the running system a subscription, keys and two months of usage. It does not change existing
 * keys.
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
  // Budgets that are set later have counted the usage.
  for (const [id, { monthlyBudgetUsd, moreBudgets }] of keys) {
    if (moreBudgets === undefined) continue
    const ofMonth = monthlyBudgetUsd === null ? [] : [{ window: 'month', limit_usd: monthlyBudgetUsd }]
    await session.call('PATCH', `/api/keys/${id}`, { budgets: [...ofMonth, ...moreBudgets] })
  }
  const { budgets } = await session.call<{ budgets: object[] }>('GET', '/api/account/budgets')
  if (budgets.length === 0) await session.call('PUT', '/api/account/budgets', { budgets: accountBudgets })
  return { keys: keys.size, requests: requests.length }
}

/** Waits until a change is in force. @throws SystemError with `failure` if it takes too long */
async function untilInForce(isInForce: () => Promise<boolean>, failure: string): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isInForce())) {
    if (performance.now() > deadline) throw new SystemError(failure)
    await delay(50)
  }
}

/** @param time of the day, UTC: `08:30:00` */
function timeOfDay(now: Date, daysAgo: number, time: string): Date {
  return new Date(`${new Date(now.getTime() - daysAgo * dayMs).toISOString().slice(0, 10)}T${time}Z`)
}

/** Creates a key. @returns its id when Redis has the key: Redis counts no spend of unknown keys */
async function createKey(session: DemoSession, key: DemoKey): Promise<string> {
  const { label, metadata, monthlyBudgetUsd, requestsPerMinute, limits } = key
  const rest = { monthly_budget_usd: monthlyBudgetUsd, requests_per_minute: requestsPerMinute, ...limits }
  const body = { label, metadata, ...rest }
  const { id } = (await session.call<{ key: CreatedKey }>('POST', '/api/keys', body)).key
  await untilInForce(
    async () => (await session.call<{ key: { in_force: boolean } }>('GET', `/api/keys/${id}`)).key.in_force,
    `The key "${label}" did not reach Redis in time. Check the log of control, then try again.`
  )
  return id
}

/**
 * Subscribes the demo user to their plan, through checkout and the test card of the embedded payments server. A plan
 * without a monthly price, or with a subscription, stays as it is.
 *
 * @param payments the origin of the embedded payments server
 * @param paidAt when the subscription began; it has renewed each month since
 * @throws SystemError if control does not learn of the subscription
 */
async function buyPlan(session: DemoSession, payments: string, paidAt: Date): Promise<void> {
  const readPlan = async () => (await session.call<{ plan: BillingPlan }>('GET', '/api/billing/plan')).plan
  const current = await readPlan()
  const { plans } = await session.call<{ plans: OfferedPlan[] }>('GET', '/api/billing/plans')
  const price = plans.find(({ id }) => id === current.id)?.prices.find(({ interval }) => interval === 'month')
  if (price === undefined || current.price_id !== null) return
  const { url } = await session.call<{ url: string }>('POST', '/api/billing/checkout', { price_id: price.id })
  const checkout = new URL(url).pathname.split('/').at(-1)
  const answer = await fetch(`${payments}/_sandbox/checkout/sessions/${checkout}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ paid_at: Math.floor(paidAt.getTime() / 1000), name: 'Demo' })
  })
  if (!answer.ok) throw new SystemError(`Paying for the demo user's plan failed: ${await answer.text()}`)
  await untilInForce(
    async () => (await readPlan()).price_id !== null,
    "Control did not learn of the demo user's subscription. Check its log, then try again."
  )
}

/** Calls control's API as the demo user. */
interface DemoSession {
  /** @throws SystemError if control refuses the call */
  call<Body>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Body>
}

/** @throws SystemError if no system runs at this address, or if it has no demo user */
export async function signInDemoUser(control: string): Promise<DemoSession> {
  const send = async (method: string, path: string, body: object | undefined, cookie: string): Promise<Response> => {
    const headers = { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    try {
      return await fetch(`${control}${path}`, request)
    } catch (cause) {
      throw new SystemError(`Tollgate does not answer at ${control}. Run npm start first.`, { cause })
    }
  }
  const { email, password } = demoUser
  const signIn = () => send('POST', '/api/auth/login', { email, password }, '')
  const deadline = performance.now() + patienceMs
  let login = await signIn()
  while (login.status === 503 && performance.now() < deadline) {
    await delay(1000)
    login = await signIn()
  }
  if (!login.ok) throw new SystemError(`The demo user ${email} cannot sign in: ${await login.text()}`)
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return {
    async call<Body>(method: string, path: string, body?: object): Promise<Body> {
      const answer = await send(method, path, body, cookie)
      if (!answer.ok) throw new SystemError(`${method} ${path} failed: ${await answer.text()}`)
      return (await answer.json()) as Body
    }
  }
}

interface StoreOptions {
  /** Of the account's plan. */
  readonly models: readonly OfferedModel[]
  /** Whether the requests get receipts. */
  readonly isLogged: boolean
}

/**
 * Settles past requests in Redis, and leaves their receipts and what the status shows there, as a gateway does. Control
 * then copies them to the ledger and to the request log.
 *
 * @throws SystemError if Redis does not answer; Redis' error if it refuses a settlement
 */
async function storeUsage(
  redisUrl: string,
  account: string,
  requests: readonly PastRequest[],
  { models, isLogged }: StoreOptions
): Promise<void> {
  const link = connectRedis(redisUrl, { name: 'tollgate-demo-data', silenceTimeoutMs: 10_000, onError: () => {} })
  try {
    const deadline = performance.now() + connectTimeoutMs
    while (!link.isReady()) {
      if (performance.now() > deadline)
        throw new SystemError('Redis does not answer. Check that it is running, then try again.')
      await delay(20)
    }
    const prepared = prepareAccount(account)
    const latest: Receipt[] = []
    const logFrom = Math.floor(Date.now() / 1000) - logSeconds
    for (let from = 0; from < requests.length; from += requestsPerCall) {
      const settled = requests.slice(from, from + requestsPerCall).map(settledRequest)
      const unsettled = await settle(link, [{ account: prepared, requests: settled, tried: '' }])
      for (const { error } of unsettled) throw error
      const receipts = requests
        .slice(from, from + requestsPerCall)
        .filter(({ at }) => at >= logFrom)
        .map((request) => pastReceipt(account, request, models, Math.random))
      latest.push(...receipts)
      if (!isLogged || receipts.length === 0) continue
      await noteReceipts(link, accountShard(account), receipts.map(encodeReceipt), receiptBytes)
    }
    await noteUses(link, lastUses(requests))
    const reporter = crypto.randomUUID()
    let sequence = 0
    for (const [hour, rows] of pastServed(requests, latest, Date.now())) {
      sequence += 1
      await addServed(link, { hour, reporter, sequence, rows })
    }
  } finally {
    await link.close()
  }
}

/** The settlement of a request without a hold. Redis counts its full cost. */
function settledRequest(request: PastRequest): SettledRequest {
  const id = `demo_${crypto.randomUUID()}`
  return {
    ...request,
    rare: null,
    id,
    upstream: 'openai',
    budgets: '',
    heldNanos: 0,
    heldTokens: 0,
    tokensPerMinute: 1,
    tokensRestMs: 0,
    estimated: false
  }
}

function lastUses(requests: readonly PastRequest[]): Map<string, number> {
  const uses = new Map<string, number>()
  for (const { key, at } of requests) uses.set(key, Math.max(uses.get(key) ?? 0, at * 1000))
  return uses
}
