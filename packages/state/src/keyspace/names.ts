import { hash } from 'node:crypto'
import type { Plan } from '@tollgate/contracts/catalog/catalog.ts'
import { windowNumber } from '@tollgate/contracts/records/budget-windows.ts'
import type { WindowBudget } from '@tollgate/contracts/records/records.ts'

/**
 * Names of everything in Redis. The name of a shard ends in two hex digits. In a Redis Cluster its hash tag keeps all
 * state of an account in one slot, so one script can read and change it.
 */
export type AccountShard = `a${string}`
export type SecretShard = `k${string}`
export type Shard = AccountShard | SecretShard

const pairs = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, '0'))
export const accountShards: readonly AccountShard[] = pairs.map((pair): AccountShard => `a${pair}`)
export const secretShards: readonly SecretShard[] = pairs.map((pair): SecretShard => `k${pair}`)
export const allShards: readonly Shard[] = [...accountShards, ...secretShards]

/** Most calls in a row are for the same account, and the hash costs as much as the rest of a name. */
let last: { account: string; shard: AccountShard } | null = null

/** @param account account id */
export function accountShard(account: string): AccountShard {
  if (last?.account !== account) last = { account, shard: `a${hash('sha256', account, 'hex').slice(0, 2)}` }
  return last.shard
}

/** @param digest SHA-256 of the secret, hex */
export function secretShard(digest: string): SecretShard {
  return `k${digest.slice(0, 2)}`
}

export const shardMarker = (shard: Shard): string => `shard:{${shard}}`
/**
 * The field of a marker that names the verified process and version: see layout/marker.lua. Raise its number when
 * scripts change the form of their data: then control writes everything again. When a shard is verified, fields with
 * other numbers are removed, so this also works for a downgrade.
 */
export const verifiedField = 'vouched:4'
export const pointerName = (digest: string): string => `key:{${secretShard(digest)}}:${digest}`
/** Records of an account and its keys, spend, limiters, open holds and usage: see layout/account.lua */
export const accountName = (account: string): string => `acct:{${accountShard(account)}}:${account}`
/**
 * A name that never exists. While a slot moves to another node of a cluster, the old node refuses scripts that name it.
 * Without it, a script would fail at the first name that has moved, perhaps after some of its writes.
 */
export const guardName = (shard: Shard): string => `guard:{${shard}}`
/** Accounts in order of time. No hold of an account ends before its time. */
export const deadlinesName = (shard: AccountShard): string => `deadlines:{${shard}}`
/** An entry that says how the hold of a request ended: see layout/ended-hold.lua. The id of the request follows. */
export const endedHoldPrefix = (account: string): string => `gone:{${accountShard(account)}}:`
/** Rows of usage that changed since they were last copied: see layout/usage.lua */
export const uncopiedName = (shard: AccountShard): string => `uncopied:{${shard}}`
/** Rows of usage by the hour in which they are final */
export const usageIndexName = (shard: AccountShard): string => `rows:{${shard}}`
/** Tombstones of keys and accounts, in order of arrival: see projection/put-records.lua */
export const tombstonesName = (shard: AccountShard): string => `tombstones:{${shard}}`
/** Receipts that control has not copied yet: see receipts/receipts.ts */
export const receiptsName = (shard: AccountShard): string => `receipts:{${shard}}`
export const droppedReceiptsName = (shard: AccountShard): string => `receipts-dropped:{${shard}}`
/** Ids that providers gave an account: see stored-ids/stored-ids.ts */
export const storedIdsName = (account: string): string => `stored:{${accountShard(account)}}:${account}`
export const olderIdsName = (account: string): string => `stored-before:{${accountShard(account)}}:${account}`
/** What became of a request with an `Idempotency-Key`: see idempotency/idempotency.ts. @param digest of the key */
export const claimName = (account: string, digest: string): string =>
  `idem:{${accountShard(account)}}:${account}:${digest}`
/** @param what see rate-limit/count-attempt.ts */
export const attemptsName = (what: string): string => `attempts:${what}`
/** When keys were last used, until control copies it to Postgres: see last-uses/last-uses.ts */
export const lastUsesName = 'last-uses'
/** The running processes, by id: see processes/heartbeat.ts */
export const processesName = 'processes'
/** Part of the names of all hours. So a Redis Cluster keeps them in one slot, and one round trip reads them. */
export const servedTag = 'served'
/** What gateways measured of each model in an hour: see served/served.ts. The first number is that of the rows' form. */
export const servedName = (hour: number): string => `served:1:{${servedTag}}:${hour}`
export const catalogName = 'catalog'
/** Until when the free offer is closed: see projection/free-offer.ts */
export const freeOfferName = 'free-offer'
export const changesChannel = 'changes'

/** The field of an account's hash that counts a budget: see layout/budget.lua */
export const budgetField = ({ window, id }: Pick<WindowBudget, 'window' | 'id'>): string => `b${window[0]}:${id}`

/** Fields of an account's hash for limits of counts: see layout/budget.lua. */
export const countFields = {
  /** Tokens of a key's requests in a minute. */
  keyTokens: (key: string): string => `ti:${key}`,
  /** Requests of a key that run. */
  keyRunning: (key: string): string => `ol:${key}`,
  /** The account's requests to free models, in a minute and in a day (UTC). */
  freeOfMinute: 'qi:free',
  freeOfDay: 'qd:free'
} as const

/** The limits of an account's requests to free models, by the field that counts them. */
export function freeModelLimits({
  freeRequestsPerMinute: ofMinute,
  freeRequestsPerDay: ofDay
}: Pick<Plan['limits'], 'freeRequestsPerMinute' | 'freeRequestsPerDay'>) {
  return [
    { window: 'minute' as const, limit: ofMinute, field: countFields.freeOfMinute },
    { window: 'day' as const, limit: ofDay, field: countFields.freeOfDay }
  ].flatMap(({ limit, ...rest }) => (limit === undefined ? [] : [{ ...rest, limit }]))
}

/** The calendar month of a time (UTC), as the number yyyymm. */
export const monthNumber = (now: Date): number => windowNumber('month', now.getTime())

/** Number of slots of a Redis Cluster. */
export const slotCount = 16_384

/**
 * The slot of a hash tag.
 *
 * @param tag a shard; for a name without a tag, the whole name
 */
export function slotOf(tag: string): number {
  return slotOfShard.get(tag) ?? crc16(tag) % slotCount
}

/** CRC-16 as XMODEM has it (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/, appendix A). */
function crc16(text: string): number {
  let crc = 0
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return crc & 0xffff
}

const slotOfShard: ReadonlyMap<string, number> = new Map(allShards.map((shard) => [shard, crc16(shard) % slotCount]))
