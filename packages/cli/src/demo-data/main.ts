import { setTimeout as delay } from 'node:timers/promises'
import type { Account } from '@tollgate/contracts/http/account.ts'
import type { CreatedKey, Key } from '@tollgate/contracts/http/keys.ts'
import { ConfigError } from '@tollgate/service/config/load-config.ts'
import { readStartConfig } from '../start/config.ts'
import { demoUser } from '../start/demo.ts'
import { findAddresses } from '../system/addresses.ts'
import { chooseEmbedded } from '../system/embedded.ts'
import { SystemError } from '../system/system-error.ts'
import { type DemoKey, demoKeys } from './demo-keys.ts'
import { type DemoSession, signInDemoUser } from './demo-session.ts'
import { monthOfUsage } from './month-of-usage.ts'
import { storeUsage } from './store-usage.ts'

/** The demo's share of the plan's monthly budget. It leaves enough for new requests. */
const shareOfBudget = 0.7
const inForceTimeoutMs = 15_000

/** Gives the demo user of the running system keys and a month of usage. It does not change existing keys. */
async function run(): Promise<string> {
  const { env, ports, dataDir } = readStartConfig()
  const embedded = chooseEmbedded(env)
  if (!embedded.has('identity'))
    throw new SystemError(
      'SUPABASE_URL is set, so there is no demo user. Remove SUPABASE_URL, then run npm start and this command again.'
    )
  const { control, redis } = findAddresses(env, embedded, ports, { controlPorts: [], gatewayPorts: [] }, dataDir)
  const session = await signInDemoUser(control)
  const { keys: existing } = await session.call<{ keys: Key[] }>('GET', '/api/keys?limit=1000')
  const labels = new Set(existing.map(({ label }) => label))
  const missing = demoKeys.filter(({ label }) => !labels.has(label))
  if (missing.length === 0) return 'The demo user has demo data already. Nothing was changed.'
  const keys = new Map<string, DemoKey>()
  for (const key of missing) keys.set(await createKey(session, key), key)
  const { account } = await session.call<{ account: Account }>('GET', '/api/account')
  const requests = monthOfUsage({
    now: Math.floor(Date.now() / 1000),
    keys,
    models: account.models,
    maxNanos: account.plan_monthly_budget_usd * 1e9 * shareOfBudget,
    random: Math.random
  })
  await storeUsage(redis, account.id, requests, { models: account.models, isLogged: env.REQUEST_LOG !== 'off' })
  return (
    `Added ${keys.size} keys and ${requests.length} requests of the last 30 days to ${demoUser.email}. ` +
    `Sign in at ${control} with the password ${demoUser.password}.`
  )
}

/** Creates a key. @returns its id when Redis has the key: Redis counts no spend of unknown keys */
async function createKey(session: DemoSession, key: DemoKey): Promise<string> {
  const { label, metadata, monthlyBudgetUsd, requestsPerMinute } = key
  const body = { label, metadata, monthly_budget_usd: monthlyBudgetUsd, requests_per_minute: requestsPerMinute }
  const { id } = (await session.call<{ key: CreatedKey }>('POST', '/api/keys', body)).key
  const deadline = performance.now() + inForceTimeoutMs
  for (;;) {
    const answer = await session.call<{ key: { in_force: boolean } }>('GET', `/api/keys/${id}`)
    if (answer.key.in_force) return id
    if (performance.now() > deadline)
      throw new SystemError(`The key "${label}" did not reach Redis in time. Check the log of control, then try again.`)
    await delay(50)
  }
}

try {
  console.log(await run())
} catch (error) {
  console.error(error instanceof SystemError || error instanceof ConfigError ? error.message : error)
  process.exitCode = 1
}
