import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { Creations } from '../traffic/create-keys.ts'
import { rawChat } from '../traffic/raw-chat.ts'
import type { Revocation } from '../traffic/revocations.ts'
import type { Allowed } from './broken-promises.ts'

const sampleSize = 60
const attempts = 10
const retryMs = 500
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

export async function countAccounts({ sql }: ChaosSystem): Promise<number> {
  const [row] = await sql<[{ count: string }]>`select count(*)::text as count from accounts`
  return Number(row.count)
}

/** Asks every gateway with active and revoked keys. @returns one line per wrong answer, and one for lost accounts */
export async function findLost(
  system: ChaosSystem,
  { created }: Creations,
  revocations: readonly Revocation[],
  accountsBefore: number,
  { tombstonesExpire = false }: Allowed
): Promise<string[]> {
  const refusal = tombstonesExpire ? /^401 (revoked|invalid)_api_key$/ : /^401 revoked_api_key$/
  const { accounts, gateways } = system
  const lost: string[] = []
  const check = async (secret: string, expected: RegExp, what: string) => {
    for (const { url } of gateways) {
      const outcome = await outcomeOf(url, secret)
      if (!expected.test(outcome)) lost.push(`${what}: ${outcome}`)
    }
  }
  const seeded = Array.from(
    { length: sampleSize },
    () => accounts[Math.floor(Math.random() * accounts.length)]!.keys[0]!
  )
  for (const { secret } of seeded) await check(secret, /^200$/, 'a key from before the fault')
  for (const secret of created.slice(-sampleSize)) await check(secret, /^200$/, 'a key created during the fault')
  for (const { secret, okAt } of revocations) {
    if (okAt !== null) await check(secret, refusal, 'a revoked key')
  }
  const missing = accountsBefore - (await countAccounts(system))
  if (missing > 0) lost.push(`${missing} accounts`)
  return lost
}

/** The gateway's first answer other than 503: on a busy machine a late Redis answer can cause a 503 at any time. */
async function outcomeOf(gateway: string, secret: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const { outcome } = await rawChat(gateway, { secret, account: '' }, question)
    if (!outcome.startsWith('503') || attempt === attempts) return outcome
    await delay(retryMs)
  }
}
