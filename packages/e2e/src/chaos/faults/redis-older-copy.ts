import { setTimeout as delay } from 'node:timers/promises'
import { Person } from '../../person.ts'
import type { Fault } from '../fault.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { type SeededKey, seedAccounts, untilProjected } from '../system/seed.ts'
import { rawChat } from '../traffic/send-steadily.ts'

const olderByMs = 4000
const promisedMs = 5000
const watchedMs = 9000
const requestEveryMs = 500
const attempts = 5
const projectedTimeoutMs = 60_000
/** More than the requests of `watch` spend. */
const capNanos = 3_500_000
const question = { model: 'watched', max_tokens: 50, messages: [{ role: 'user', content: 'Say 50 words.' }] }

/** Redis rolls back to older data, while its process and all connections stay. */
export const redisOlderCopy: Fault = {
  name: 'redis-older-copy',
  summary: `Redis becomes a replica of a copy of itself that is ${olderByMs / 1000} s old, and a master again; connections stay`,
  // This fault measures revoked keys itself, from the moment of the rollback.
  allowed: { refusals: ['503 state_unavailable'], redisLosesData: true, revokedMs: Number.POSITIVE_INFINITY },
  async inject(system, loseData, { seen, broken }) {
    const { redis } = system
    // No other traffic changes these accounts, so control has no other reason to repair them.
    const revoked = await createRevocableKey(system)
    const spent = await cappedKey(system)
    await redis.save()
    await revoke(system, revoked)
    await spendAll(system, spent)
    await delay(olderByMs)
    await loseData(() => redis.rollBack())
    const rolledBackAt = performance.now()
    const [byRevoked, bySpent] = await Promise.all(
      [revoked, spent].map((key) => watch(system, key.secret, rolledBackAt))
    )
    seen.push(`revoked key accepted after rollback ${byRevoked} ms`)
    seen.push(`spent cap open after rollback    ${bySpent} ms`)
    if (byRevoked! > promisedMs) broken.push(`a revoked key was accepted until ${byRevoked} ms after the rollback`)
    if (bySpent! > promisedMs) broken.push(`a spent cap was open until ${bySpent} ms after the rollback`)
  }
}

interface RevocableKey extends SeededKey {
  revoke(): Promise<number>
}

/** Creates a key of a new person. Every gateway has served it. */
async function createRevocableKey(system: ChaosSystem): Promise<RevocableKey> {
  const person = await new Person(system.system, 'revoking').join()
  const { status, body } = await person.createKey('older than its revocation')
  if (status !== 201) throw new Error(`a key could not be created: ${status}`)
  const { id, value: secret } = body.key
  const revoke = async () => (await person.revokeKey(id)).status
  await expectAll(system, secret, '200')
  return { id, secret, account: '', revoke }
}

async function revoke(system: ChaosSystem, key: RevocableKey): Promise<void> {
  // On a busy machine Redis may acknowledge the revocation too late.
  for (let attempt = 1; (await key.revoke()) !== 200; attempt++) {
    if (attempt === attempts) throw new Error('a key could not be revoked')
  }
  await expectAll(system, key.secret, '401 revoked_api_key')
}

async function cappedKey({ sql, link }: ChaosSystem): Promise<SeededKey> {
  const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: capNanos })
  await untilProjected(sql, link, projectedTimeoutMs)
  return account!.keys[0]!
}

/** Spends the whole cap through all gateways at once. */
async function spendAll({ gateways }: ChaosSystem, key: SeededKey): Promise<void> {
  await Promise.all(
    gateways.map(async ({ url }) => {
      for (;;) {
        const { outcome } = await rawChat(url, key, question)
        if (outcome === '402 monthly_budget_exceeded') return
        if (outcome !== '200') throw new Error(`a key with a cap got ${outcome}`)
      }
    })
  )
}

async function expectAll({ gateways }: ChaosSystem, secret: string, expected: string): Promise<void> {
  for (const { url } of gateways) {
    const { outcome } = await rawChat(url, { secret, account: '' }, question)
    if (outcome !== expected) throw new Error(`a key got ${outcome}, not ${expected}`)
  }
}

/** Asks every gateway with a key for a while. @returns when it was last accepted, ms after `from`; 0 if never */
async function watch({ gateways }: ChaosSystem, secret: string, from: number): Promise<number> {
  let lastAccepted = from
  await Promise.all(
    gateways.map(async ({ url }) => {
      while (performance.now() < from + watchedMs) {
        const { sentAt, outcome } = await rawChat(url, { secret, account: '' }, question)
        if (outcome === '200') lastAccepted = Math.max(lastAccepted, sentAt)
        await delay(requestEveryMs)
      }
    })
  )
  return Math.round(lastAccepted - from)
}
