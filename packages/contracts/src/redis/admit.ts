import { accountName, accountShard, keysName, shardMarker } from '../keyspace/names.ts'
import type { RedisLink } from './redis-link.ts'

/** The versions on which a request was judged; '' for a record that was not known. */
export type JudgedVersions = { key: string; account: string }

/** A record as it stands in Redis, or null if there is none. */
export type CurrentRecord = { version: string; json: string } | null

export type AdmitAnswer =
  | { outcome: 'admitted' }
  /** The key's expiry, or the grace of the rotated secret that was presented, has come. */
  | { outcome: 'ended' }
  /** Control has not vouched for this Redis process: nothing may be concluded. */
  | { outcome: 'unverified' }
  /** Other versions are in force than the request was judged on. */
  | { outcome: 'moved'; key: CurrentRecord; account: CurrentRecord }

/**
 * Asks Redis, in one round trip, whether a request that was judged on these versions may start.
 *
 * @param endsAt when the presented secret stops working, ms since the epoch, as judged; null for never
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function admit(
  link: RedisLink,
  account: string,
  key: string,
  judged: JudgedVersions,
  endsAt: number | null
): Promise<AdmitAnswer> {
  const answer = await link
    .gathering()
    .tgAdmit(
      shardMarker(accountShard(account)),
      keysName(account),
      accountName(account),
      link.run(),
      key,
      judged.key,
      judged.account,
      endsAt === null ? '' : String(endsAt)
    )
  if (typeof answer === 'string') return { outcome: answer }
  const [keyVersion, keyRecord, accountVersion, accountRecord] = answer
  return { outcome: 'moved', key: current(keyVersion, keyRecord), account: current(accountVersion, accountRecord) }
}

function current(version: string, json: string): CurrentRecord {
  return version === '' ? null : { version, json }
}
