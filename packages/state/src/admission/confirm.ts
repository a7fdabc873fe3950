import { accountName, accountShard, shardMarker } from '../keyspace/names.ts'
import type { RedisLink } from '../link/redis-link.ts'
import type { RawRecords } from '../wire/scripts.ts'

/** The versions of the records by which a request was judged; '' for a missing record. */
export interface JudgedVersions {
  key: string
  account: string
}

/** A record in Redis; null for a missing record. */
export type CurrentRecord = { version: string; json: string } | null

/** The outcome if the records do not allow the request now. */
export type RecordsAnswer =
  /** The key has expired, or the grace of the rotated secret has ended. */
  | { outcome: 'ended' }
  /** Control has not verified the shard for this Redis process, so its records may be out of date. */
  | { outcome: 'unverified' }
  /** The records have changed: these are the current ones. */
  | { outcome: 'moved'; key: CurrentRecord; account: CurrentRecord }

export type ConfirmAnswer = { outcome: 'admitted' } | RecordsAnswer

/**
 * Asks Redis, in one round trip, whether the judged records are still current. It reserves nothing.
 *
 * @param endsAt when the presented secret stops working, ms since the epoch; null for never
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
