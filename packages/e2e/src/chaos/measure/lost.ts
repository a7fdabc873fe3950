import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { Creations } from '../traffic/creations.ts'
import { rawChat } from '../traffic/raw-chat.ts'
import type { Revocation } from '../traffic/revocations.ts'
import type { Allowed } from './judge.ts'

const lookedAt = 60
const attempts = 10
const retryMs = 500
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

export async function countAccounts({ sql }: ChaosSystem): Promise<number> {
  const [row] = await sql<[{ count: string }]>`select count(*)::text as count from accounts`
  return Number(row.count)
}

/** Looks whether every gateway knows keys as it should. @returns a line for each key that it does not, and for lost accounts */
export async function findLost(
  system: ChaosSystem,
  { created }: Creations,
  revocations: readonly Revocation[],
  accountsBefore: number,
  { tombstonesExpire = false }: Allowed
): Promise<string[]> {
  const dead = tombstonesExpire ? /^401 (revoked|invalid)_api_key$/ : /^401 revoked_api_key$/
  const { accounts, gateways } = system
  const lost: string[] = []
  const insist = async (secret: string, expected: RegExp, what: string) => {
    for (const { url } of gateways) {
      const outcome = await outcomeOf(url, secret)
      if (!expected.test(outcome)) lost.push(`${what}: ${outcome}`)
    }
  }
  const seeded = Array.from({ length: lookedAt }, () => accounts[Math.floor(Math.random() * accounts.length)]!.keys[0]!)
  for (const { secret } of seeded) await insist(secret, /^200$/, 'a key of before')
  for (const secret of created.slice(-lookedAt)) await insist(secret, /^200$/, 'a key that was created meanwhile')
  for (const { secret, okAt } of revocations) {
    if (okAt !== null) await insist(secret, dead, 'a revoked key')
  }
  const missing = accountsBefore - (await countAccounts(system))
  if (missing > 0) lost.push(`${missing} accounts`)
  return lost
}

/** What a gateway that knows says: on a machine that is busy, one may take an answer for late at any time. */
async function outcomeOf(gateway: string, secret: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const { outcome } = await rawChat(gateway, { secret, account: '' }, question)
    if (!outcome.startsWith('503') || attempt === attempts) return outcome
    await delay(retryMs)
  }
}
