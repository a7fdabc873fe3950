import type { ChainableCommander } from 'ioredis'
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

/** The spend of accounts at one instant, by account: for {@link seedSpend} to see whether it is still the same. */
export type SeenSpends = ReadonlyMap<string, string>

/** Spends that one script opens: few enough to keep admissions waiting for less than half a millisecond. */
const batchSize = 100

/**
 * Reads what accounts of one shard have spent, in one round trip. An account that has no spend gets one of zero, so that what is
 * settled from then on is added to it.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function openSpends(link: RedisLink, accounts: readonly string[]): Promise<SeenSpends> {
  link.run()
  const pipeline = link.client.pipeline()
  addOpenSpends(pipeline, accounts)
  const answers = (await pipeline.exec()) ?? []
  for (const [error] of answers) if (error !== null) throw error
  const seen = answers.flatMap(([, answer]) => answer as string[])
  return new Map(accounts.map((account, index) => [account, seen[index]!]))
}

/** Adds the commands of {@link openSpends} to a pipeline. */
export function addOpenSpends(pipeline: ChainableCommander, accounts: readonly string[]): void {
  for (let from = 0; from < accounts.length; from += batchSize) {
    const names = accounts.slice(from, from + batchSize).map(spendName)
    pipeline.tgOpenSpends(names.length, ...names)
  }
}

/**
 * What became of a seed: nothing was done if by the clock of Redis it is `another month`, or if the ledger has more and
 * the spend has `changed` since it was seen, so that it is not known whether the ledger has that, too.
 */
export type SeedOutcome = 'seeded' | 'another month' | 'changed'

const seedOutcomes: Record<0 | 1 | 2, SeedOutcome> = { 0: 'another month', 1: 'seeded', 2: 'changed' }

/**
 * Brings what the ledger knows into the spend of accounts, in one round trip: of each amount the larger counts.
 *
 * @param seen spends, before all usage that Redis then had was copied into the ledger
 * @returns what became of each, in their order
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function seedSpend(
  link: RedisLink,
  spends: readonly LedgerSpend[],
  seen: SeenSpends
): Promise<SeedOutcome[]> {
  link.run()
  const pipeline = link.client.pipeline()
  for (const { account, month, settled, byKey } of spends) {
    pipeline.tgSeedSpend(spendName(account), month, seen.get(account) ?? '', settled, ...[...byKey].flat())
  }
  const answers = (await pipeline.exec()) ?? []
  for (const [error] of answers) if (error !== null) throw error
  return answers.map(([, answer]) => seedOutcomes[answer as 0 | 1 | 2])
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
