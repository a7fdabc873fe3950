import { accountName, accountShard, keysName, shardMarker } from '../keyspace/names.ts'
import { PreparedCall } from './prepared-call.ts'
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

type RawAnswer =
  | 'admitted'
  | 'ended'
  | 'unverified'
  | [keyVersion: string, keyRecord: string, accountVersion: string, accountRecord: string]

/**
 * The question whether a request of a key may start that was judged on these versions. It can be asked again for every
 * request that is judged on them.
 *
 * @param endsAt when the presented secret stops working, ms since the epoch, as judged; null for never
 */
export function prepareAdmission(
  account: string,
  key: string,
  judged: JudgedVersions,
  endsAt: number | null
): PreparedCall {
  return new PreparedCall(
    'tgAdmit',
    [shardMarker(accountShard(account)), keysName(account), accountName(account)],
    [key, judged.key, judged.account, endsAt === null ? '' : String(endsAt)]
  )
}

/**
 * Asks Redis, in one round trip, whether a request may start.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function admit(link: RedisLink, admission: PreparedCall): Promise<AdmitAnswer> {
  const answer = (await admission.send(link)) as RawAnswer
  if (typeof answer === 'string') return { outcome: answer }
  const [keyVersion, keyRecord, accountVersion, accountRecord] = answer
  return { outcome: 'moved', key: current(keyVersion, keyRecord), account: current(accountVersion, accountRecord) }
}

function current(version: string, json: string): CurrentRecord {
  return version === '' ? null : { version, json }
}
