import type { ChainableCommander } from 'ioredis'
import { accountName, accountShard, accountShards, deadlinesName } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { executeAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { unpackParts } from '../wire/packed.ts'

/** The spend of an account in a month according to the ledger, nanodollars. */
export interface LedgerSpend {
  account: string
  /** yyyymm, UTC */
  month: number
  settled: number
  byKey: ReadonlyMap<string, number>
}

/** Spends by account at one time. {@link seedSpend} checks whether they have changed since. */
export type SeenSpends = ReadonlyMap<string, string>

/** Spends per call of the script: few enough to block Redis for less than half a millisecond. */
const batchSize = 100

/**
 * Reads the spends of accounts of one shard, in one round trip. A missing spend becomes 0, so settlements add to it
 * from now on.
 *
 * @param month for missing spends, yyyymm
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function openSpends(link: RedisLink, accounts: readonly string[], month: number): Promise<SeenSpends> {
  const answers = await executeAll(link, spendBatches(accounts), shardOfBatch, (pipeline, batch) =>
    addOpenSpends(pipeline, batch, month)
  )
  const seen = (answers as string[][]).flat()
  return new Map(accounts.map((account, index) => [account, seen[index]!]))
}

/** Splits accounts of one shard into batches for the script. */
export function spendBatches(accounts: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(accounts.length / batchSize) }, (_, number) =>
    accounts.slice(number * batchSize, (number + 1) * batchSize)
  )
}

/**
 * Adds the command of {@link openSpends} for a batch. Without a month, missing spends get the shard's open month, if it
 * has one.
 */
export function addOpenSpends(pipeline: ChainableCommander, batch: readonly string[], month: number | null): void {
  pipeline.tgOpenSpends(batch.length, ...batch.map(accountName), month ?? '')
}

const shardOfBatch = ([first]: readonly string[]): string => accountShard(first!)

/**
 * The result of a seed. `another month`: the account is in a later month. `changed`: the ledger has more and the spend
 * has changed since it was seen, so the ledger may lack the change. Both leave the spend as it was.
 */
export type SeedOutcome = 'seeded' | 'another month' | 'changed'

const seedOutcomes: Record<0 | 1 | 2, SeedOutcome> = { 0: 'another month', 1: 'seeded', 2: 'changed' }

/**
 * Raises the spends of accounts to the ledger's amounts, in one round trip to each process: the larger of the two
 * counts.
 *
 * @param seen spends before all usage was copied from Redis into the ledger
 * @returns a result for each, in their order
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

/** Settled and reserved amounts of an account in the current month, nanodollars. */
export interface Spend {
  settled: number
  reserved: number
}

/**
 * @param month the current month, yyyymm: amounts of an earlier month count as 0
 * @returns null if it has not been seeded
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readSpend(link: RedisLink, account: string, month: number): Promise<Spend | null> {
  const [spend] = await readSpends(link, [account], month)
  return spend!
}

/** As {@link readSpend}, for several accounts in one round trip to each process. @returns the spends in their order */
export async function readSpends(
  link: RedisLink,
  accounts: readonly string[],
  month: number
): Promise<Array<Spend | null>> {
  const answers = await executeAll(link, accounts, accountShard, (pipeline, account) =>
    pipeline.hgetBuffer(accountName(account), 'a')
  )
  return (answers as Array<Buffer | null>).map((packed) => (packed === null ? null : spendIn(packed, month)))
}

function spendIn(packed: Buffer, month: number): Spend | null {
  const entry = unpackParts(layouts.account, packed)
  if (entry.month === 0) return null
  return entry.month < month ? { settled: 0, reserved: 0 } : { settled: entry.settled, reserved: entry.reserved }
}

/** What is reserved for an account's running requests, nanodollars. */
export interface Reserved {
  readonly account: string
  readonly nanos: number
}

/**
 * Reads what is reserved for running requests, in two round trips to each process.
 *
 * @param month the current month, yyyymm
 * @returns every account with an amount above 0
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readReserved(link: RedisLink, month: number): Promise<Reserved[]> {
  const answers = await executeAll(
    link,
    accountShards,
    (shard) => shard,
    (pipeline, shard) => pipeline.zrange(deadlinesName(shard), '0', '-1')
  )
  const accounts = (answers as string[][]).flat()
  const spends = await readSpends(link, accounts, month)
  return accounts
    .map((account, index) => ({ account, nanos: spends[index]?.reserved ?? 0 }))
    .filter(({ nanos }) => nanos > 0)
}

/** An account, or one of its keys. */
export interface Spender {
  readonly account: string
  /** null: the account itself. */
  readonly key: string | null
}

/**
 * Reads what accounts and keys have spent in a month, in one round trip to each process.
 *
 * @param month yyyymm
 * @returns nanodollars in the order of the spenders; 0 if Redis has the spend of another month; null if it has none
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readSettled(
  link: RedisLink,
  spenders: readonly Spender[],
  month: number
): Promise<Array<number | null>> {
  const answers = await executeAll(
    link,
    spenders,
    ({ account }) => accountShard(account),
    (pipeline, { account, key }) => pipeline.hgetBuffer(accountName(account), key === null ? 'a' : `k:${key}`)
  )
  return (answers as Array<Buffer | null>).map((packed, index) => {
    if (packed === null) return null
    const spend = unpackParts(spenders[index]!.key === null ? layouts.account : layouts.key, packed)
    if (spend.month === 0) return null
    return spend.month === month ? spend.settled : 0
  })
}
