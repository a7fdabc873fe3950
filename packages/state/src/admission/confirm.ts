import { accountName, accountShard, shardMarker } from '../keyspace/names.ts'
import type { RedisLink } from '../link/redis-link.ts'
import type { RawRecords } from '../wire/scripts.ts'

/** The versions on which a request was judged; '' for a record that was not known. */
export type JudgedVersions = { key: string; account: string }

/** A record as it stands in Redis, or null if there is none. */
export type CurrentRecord = { version: string; json: string } | null

/** What Redis says of records that a request was judged on. */
export type RecordsAnswer =
  /** The key's expiry, or the grace of the rotated secret that was presented, has come. */
  | { outcome: 'ended' }
  /** Control has not vouched for this Redis process: nothing may be concluded. */
  | { outcome: 'unverified' }
  /** Other versions are in force than the request was judged on. */
  | { outcome: 'moved'; key: CurrentRecord; account: CurrentRecord }

export type ConfirmAnswer = { outcome: 'admitted' } | RecordsAnswer

/**
 * Asks Redis, in one round trip, whether a key may be used that was judged on these versions. Nothing is reserved.
 *
 * @param endsAt when the presented secret stops working, ms since the epoch, as judged; null for never
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function confirmRecords(
  link: RedisLink,
  account: string,
  key: string,
  judged: JudgedVersions,
  endsAt: number | null
): Promise<ConfirmAnswer> {
  const shard = accountShard(account)
  const node = link.nodeOf(shard)
  const answer = await node.client.tgConfirm(
    shardMarker(shard),
    accountName(account),
    node.run(),
    key,
    judged.key,
    judged.account,
    endsAt === null ? '' : String(endsAt)
  )
  return typeof answer === 'string' ? { outcome: answer } : moved(answer)
}

export function moved([keyVersion, keyRecord, accountVersion, accountRecord]: RawRecords): RecordsAnswer {
  return { outcome: 'moved', key: current(keyVersion, keyRecord), account: current(accountVersion, accountRecord) }
}

function current(version: string, json: string): CurrentRecord {
  return version === '' ? null : { version, json }
}
