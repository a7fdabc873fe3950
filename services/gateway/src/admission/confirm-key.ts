import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { KeyRefusal, KeyVerdict } from '@tollgate/contracts/keys/judge-key.ts'
import { overrideEndsAt } from '@tollgate/contracts/records/budgets.ts'
import { readAccountRecord, readKeyRecord } from '@tollgate/contracts/records/records.ts'
import { type CurrentRecord, confirmRecords, type RecordsAnswer } from '@tollgate/state/admission/confirm.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { KnownKey, Versioned } from '../authenticate/known-key.ts'
import { earlier, endOverride } from './end-override.ts'
import type { JudgedRecords } from './judge.ts'

/** Maximum attempts. A request is refused if the records change during each attempt. */
export const maxAttempts = 6

/**
 * Confirms a key without reserving anything.
 *
 * @param judge pure; may be called several times
 * @throws ServiceError with the verdict's code, or state_unavailable
 */
export async function confirmKey(
  redis: RedisLink,
  key: KnownKey,
  judge: (records: JudgedRecords) => KeyVerdict
): Promise<void> {
  let confirmed = false
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const verdict = judge(recordsOf(key))
    if (!verdict.allowed && confirmed) throw refusalError(verdict)
    if (await confirmVerdict(redis, key, verdict)) {
      if (verdict.allowed) return
      confirmed = true
    }
  }
  throw new ServiceError('state_unavailable')
}

/**
 * Reads the current records of a key if Redis has others than this process remembers.
 *
 * @throws ServiceError state_unavailable
 */
export async function refreshRecords(redis: RedisLink, key: KnownKey): Promise<void> {
  await confirmVerdict(redis, key, { allowed: true, endsAt: null, endedCode: 'expired_api_key' })
}

export function refusalError({ code, message }: KeyRefusal): ServiceError {
  return new ServiceError(code, message === undefined ? {} : { message })
}

/**
 * Asks Redis whether a verdict's records are current. If not, remembers the current ones.
 *
 * @returns whether they are current
 */
export async function confirmVerdict(redis: RedisLink, key: KnownKey, verdict: KeyVerdict): Promise<boolean> {
  const { pointer } = key
  const before = key.accountRecord
  const judged = { key: key.keyRecord?.version ?? '', account: before?.version ?? '' }
  const secretEndsAt = verdict.allowed ? verdict.endsAt : null
  const endsAt = earlier(secretEndsAt, before && overrideEndsAt(before.record))
  const answer = await throughRedis(() => confirmRecords(redis, pointer.account, pointer.key, judged, endsAt))
  if (answer.outcome === 'admitted') return true
  if (answer.outcome === 'unverified') throw new ServiceError('state_unavailable')
  if (answer.outcome === 'ended' && endOverride(key, before, secretEndsAt)) return false
  if (answer.outcome === 'ended') throw new ServiceError(verdict.allowed ? verdict.endedCode : 'state_unavailable')
  remember(key, answer)
  // A missing record has no version, so Redis cannot confirm it by version. What counts is what was judged: by now
  // another request may have remembered these very records.
  return (answer.key?.version ?? '') === judged.key && (answer.account?.version ?? '') === judged.account
}

/** @throws ServiceError state_unavailable if the command fails */
export async function throughRedis<Answer>(command: () => Promise<Answer>): Promise<Answer> {
  try {
    return await command()
  } catch (cause) {
    throw new ServiceError('state_unavailable', { cause })
  }
}

/** The records that this process remembers. */
export const recordsOf = (key: KnownKey): JudgedRecords => ({
  key: key.keyRecord?.record ?? null,
  account: key.accountRecord?.record ?? null
})

/** Replaces the records that this process remembers by the current ones. */
export function remember(key: KnownKey, current: RecordsAnswer & { outcome: 'moved' }): void {
  key.keyRecord = read(current.key, readKeyRecord)
  key.accountRecord = read(current.account, readAccountRecord)
  key.admission = null
}

function read<Record>(current: CurrentRecord, reader: (json: string) => Record): Versioned<Record> {
  return current === null ? null : { version: current.version, record: reader(current.json) }
}
