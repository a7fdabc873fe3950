import { spendName } from '../keyspace/names.ts'
import type { RedisLink } from './redis-link.ts'

/** What an account has spent in a month, as the ledger has it: nanodollars. */
export type LedgerSpend = {
  account: string
  /** yyyymm, UTC */
  month: number
  settled: number
  byKey: ReadonlyMap<string, number>
}

/**
 * Brings what the ledger knows into the spend of accounts, in one round trip: of each amount the larger counts.
 *
 * @returns false if by the clock of Redis it is another month: nothing was done for some of them then
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function seedSpend(link: RedisLink, spends: readonly LedgerSpend[]): Promise<boolean> {
  link.run()
  const pipeline = link.client.pipeline()
  for (const { account, month, settled, byKey } of spends) {
    pipeline.tgSeedSpend(spendName(account), month, settled, ...[...byKey].flat())
  }
  const answers = (await pipeline.exec()) ?? []
  for (const [error] of answers) if (error !== null) throw error
  return answers.every(([, answer]) => answer === 1)
}

/** What an account has settled and reserved in the present month, nanodollars. */
export type Spend = { settled: number; reserved: number }

/**
 * @param month the present one, yyyymm: what an earlier one has left does not count
 * @returns null if it has not been seeded
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readSpend(link: RedisLink, account: string, month: number): Promise<Spend | null> {
  link.run()
  const [of, settled, reserved] = await link.client.hmget(spendName(account), 'm', 's', 'r')
  if (of == null) return null
  return Number(of) < month ? { settled: 0, reserved: 0 } : { settled: Number(settled), reserved: Number(reserved) }
}
