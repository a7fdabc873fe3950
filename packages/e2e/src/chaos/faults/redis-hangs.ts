import { setTimeout as delay } from 'node:timers/promises'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import type { Fault } from '../fault.ts'
import { describe } from '../measure/broken-promises.ts'
import type { Findings } from '../measure/measured.ts'
import { chargedIn, producedIn } from '../measure/produced-and-charged.ts'
import { settlementsWaiting } from '../measure/until-settled.ts'
import { modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { FailoverForm } from '../system/redis-servers.ts'
import { type SeededAccount, type SeededKey, seedAccounts, untilProjected } from '../system/seed.ts'
import { apiOf, countOutcomes, questionTo, rawAsk, rawChat, type Sent } from '../traffic/send-steadily.ts'

const callsPollMs = 20
const callsQuestion = { model: 'watched', stream: true, maxTokens: 300, text: 'Say 300 words.' }

const timeoutMs = 60_000
const askAgainMs = 100
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

const unavailable = ['503 state_unavailable']
const calls = 40
/** Enough for the calls of one round, but not of all rounds. */
const capNanos = 16_000_000
const rounds = 4
const pollMs = 50
const settledTimeoutMs = 60_000
/** Long enough for gateways to send settlements to the hung server and give up. */
const hangsOnMs = 1500
/** Longer than `hangsOnMs`, so that no failover happens earlier. */
const downAfterMs = 3000

/** Seeds an account with a cap; with several servers, on the server at `port`. */
async function seedAccountAt(system: ChaosSystem, port: number | null): Promise<SeededAccount> {
  const { sql, link } = system
  // Enough accounts that each of three masters has at least one.
  const accounts = await seedAccounts(sql, { count: 24, keysEach: 1, ownCapNanos: capNanos })
  await untilProjected(sql, link, settledTimeoutMs)
  const isThere = ({ id }: SeededAccount) => port === null || link.nodeOf(accountShard(id)).client.options.port === port
  const account = accounts.find(isThere)
  if (account === undefined) throw new Error(`no account is on the server at port ${port}`)
  return account
}

/** Suspends a Redis during calls. Resolves when all are answered and their settlements were sent. */
async function hang(
  system: ChaosSystem,
  { keys: [key] }: SeededAccount,
  redis: { kill(signal: NodeJS.Signals): Promise<void> },
  findings: Findings
): Promise<void> {
  const outcomes = await actDuringCalls(system, key!, calls, () => redis.kill('SIGSTOP'))
  findings.seen.push(`calls while Redis hung           ${describe(outcomes)}`)
  await delay(hangsOnMs)
}

/** Waits until gateways serve again and Redis has every settlement. */
async function untilSettled(system: ChaosSystem, { keys }: SeededAccount): Promise<void> {
  await untilServed(system, keys[0]!.secret)
  const deadline = performance.now() + settledTimeoutMs
  while ((await settlementsWaiting(system)) > 0) {
    if (performance.now() > deadline) throw new Error(`settlements wait for more than ${settledTimeoutMs / 1000} s`)
    await delay(pollMs)
  }
}

/** Compares the served amount with the cap. */
async function checkCap(
  { models, sql }: ChaosSystem,
  { id }: SeededAccount,
  { seen, broken }: Findings
): Promise<void> {
  const { nanos } = producedIn(models.requests().filter((request) => modelOf(request) === 'watched'))
  const charged = (await chargedIn(sql, id)).nanos
  seen.push(`served under a cap of ${capNanos}  ${nanos} nanodollars, ${charged} of them in the ledger so far`)
  if (nanos > capNanos) broken.push(`${nanos} nanodollars were served under a cap of ${capNanos} while Redis hung`)
}

const restart: Fault = {
  name: 'redis-hang-restart',
  summary: `Redis hangs (SIGSTOP) with calls under way, is killed, and restarted with all its data; ${rounds} times`,
  conditions: { redisPersists: true },
  allowed: { refusals: unavailable },
  async inject(system, _loseData, findings) {
    const { redis } = system
    const account = await seedAccountAt(system, null)
    for (let round = 0; round < rounds; round++) {
      await hang(system, account, redis, findings)
      await redis.kill('SIGKILL')
      await redis.start('kept')
      await untilSettled(system, account)
    }
    await checkCap(system, account, findings)
  }
}

const failoverOf = (form: FailoverForm, named: string): Fault => ({
  name: `${form}-hang-failover`,
  summary: `${named}: a master hangs (SIGSTOP) with replicas in sync, one takes over, and the old master resumes`,
  conditions: { redisForm: form, redisDownAfterMs: downAfterMs },
  allowed: { refusals: unavailable },
  async inject(system, _loseData, findings) {
    const { failoverRedis } = system
    const { master } = failoverRedis
    const account = await seedAccountAt(system, form === 'cluster' ? master.port : null)
    await hang(system, account, master, findings)
    await failoverRedis.untilPromoted()
    await master.kill('SIGCONT')
    await untilSettled(system, account)
    await checkCap(system, account, findings)
  }
})

/** Redis hangs during calls. The server that serves afterwards has all acknowledged writes. */
export const redisHangs: readonly Fault[] = [
  restart,
  failoverOf('sentinel', 'Sentinels and two replicas'),
  failoverOf('cluster', 'a cluster of 3 masters with a replica each')
]

/** Waits until no gateway answers 503 for a key. @throws Error after a minute */
async function untilServed({ gateways }: ChaosSystem, secret: string): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (const { url } of gateways) {
    for (;;) {
      const { outcome } = await rawChat(url, { secret, account: '' }, question)
      if (!outcome.startsWith('503')) break
      if (performance.now() > deadline) throw new Error(`after ${timeoutMs / 1000} s a key still gets ${outcome}`)
      await delay(askAgainMs)
    }
  }
}

/**
 * Sends calls through all gateways and runs `act` while every call is at the model server or refused. The model server
 * answers afterwards.
 *
 * @returns outcome → number of calls
 */
async function actDuringCalls(
  system: ChaosSystem,
  key: SeededKey,
  count: number,
  act: () => Promise<void>
): Promise<ReadonlyMap<string, number>> {
  const { gateways, models } = system
  const since = models.requests().at(-1)?.sequence ?? 0
  const release = system.holdAnswers()
  try {
    const ended: Sent[] = []
    const calls = Array.from({ length: count }, async (_, number) => {
      const api = apiOf(number * 2)
      ended.push(await rawAsk(gateways[number % gateways.length]!.url, key, api, questionTo(api, callsQuestion)))
    })
    const begun = () => models.requests({ since }).filter((request) => modelOf(request) === 'watched').length
    while (begun() + ended.length < count) await delay(callsPollMs)
    await act()
    release()
    await Promise.all(calls)
    return countOutcomes(ended)
  } finally {
    release()
  }
}
