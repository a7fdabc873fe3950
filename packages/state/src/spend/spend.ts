import type { ChainableCommander } from 'ioredis'
import { accountName, accountShard } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { executeAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { unpackParts } from '../wire/packed.ts'

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
 * @param month of a spend that is made, yyyymm
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function openSpends(link: RedisLink, accounts: readonly string[], month: number): Promise<SeenSpends> {
  const answers = await executeAll(link, spendBatches(accounts), shardOfBatch, (pipeline, batch) =>
    addOpenSpends(pipeline, batch, month)
  )
  const seen = (answers as string[][]).flat()
  return new Map(accounts.map((account, index) => [account, seen[index]!]))
}

/** Accounts of one shard, as many as one script opens. */
export function spendBatches(accounts: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(accounts.length / batchSize) }, (_, number) =>
    accounts.slice(number * batchSize, (number + 1) * batchSize)
  )
}

/** Adds the command of {@link openSpends} for a batch. Without a month, a spend is made in the one that is open, if one is. */
export function addOpenSpends(pipeline: ChainableCommander, batch: readonly string[], month: number | null): void {
  pipeline.tgOpenSpends(batch.length, ...batch.map(accountName), month ?? '')
}

const shardOfBatch = ([first]: readonly string[]): string => accountShard(first!)

/**
 * What became of a seed: nothing was done if the account is in a later month already (`another month`), or if the ledger has more and
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
  const answers = await executeAll(
    link,
    spends,
    ({ account }) => accountShard(account),
    (pipeline, { account, month, settled, byKey }) =>
      pipeline.tgSeedSpend(accountName(account), month, seen.get(account) ?? '', settled, ...[...byKey].flat())
  )
  return answers.map((answer) => seedOutcomes[answer as 0 | 1 | 2])
}

/** What an account has settled and reserved in the present month, nanodollars. */
export type Spend = { settled: number; reserved: number }

/**
 * @param month the present one, yyyymm: what an earlier one has left does not count
 * @returns null if it has not been seeded
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readSpend(link: RedisLink, account: string, month: number): Promise<Spend | null> {
  const node = link.nodeOf(accountShard(account))
  node.run()
  const packed = await node.client.hgetBuffer(accountName(account), 'a')
  if (packed === null) return null
  const entry = unpackParts(layouts.account, packed)
  if (entry.month === 0) return null
  return entry.month < month ? { settled: 0, reserved: 0 } : { settled: entry.settled, reserved: entry.reserved }
}
