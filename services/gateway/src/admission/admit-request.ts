import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { readAccountRecord, readKeyRecord } from '@tollgate/contracts/records/records.ts'
import type { PreparedCall } from '@tollgate/contracts/redis/prepared-call.ts'
import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import { type CurrentRecord, prepareVerification, type VerifyAnswer, verify } from '@tollgate/contracts/redis/verify.ts'
import type { KnownKey, Versioned } from '../authenticate/known-key.ts'
import type { JudgedRecords, Verdict } from './judge.ts'

/** Records that change under every single one of so many attempts are not a state to decide on. */
const maxAttempts = 4

/**
 * Admits a request, or throws what its caller is told. The request is judged on the records that this process remembers;
 * Redis then decides, but only on its current records: if those are others, the request is judged again on them.
 * A refusal too is only given on records that Redis has just confirmed.
 *
 * @param judge pure; may be called several times
 * @throws ServiceError with the verdict's code, or state_unavailable
 */
export async function admitRequest(
  redis: RedisLink,
  known: KnownKey,
  judge: (records: JudgedRecords) => Verdict
): Promise<void> {
  const { account, key } = known.pointer
  let confirmed = false
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const verdict = judge({ key: known.key?.record ?? null, account: known.account?.record ?? null })
    if (!verdict.allowed && confirmed) throw new ServiceError(verdict.code)
    let answer: VerifyAnswer
    try {
      const admission = verdict.allowed
        ? admissionOf(known, verdict.endsAt)
        : prepareVerification(account, key, nothingJudged, null)
      answer = await verify(redis, admission)
      if (answer.outcome === 'moved') remember(known, answer.key, answer.account)
    } catch (cause) {
      throw new ServiceError('state_unavailable', { cause })
    }
    if (answer.outcome === 'admitted') return
    if (answer.outcome === 'unverified') throw new ServiceError('state_unavailable')
    if (answer.outcome === 'ended' && verdict.allowed) throw new ServiceError(verdict.endedCode)
    confirmed = true
  }
  throw new ServiceError('state_unavailable')
}

/** Judged versions that match nothing, so that Redis answers with its current records. */
const nothingJudged = { key: '', account: '' }

function admissionOf(known: KnownKey, endsAt: number | null): PreparedCall {
  known.admission ??= prepareVerification(known.pointer.account, known.pointer.key, versionsOf(known), endsAt)
  return known.admission
}

function versionsOf(known: KnownKey): { key: string; account: string } {
  return { key: known.key?.version ?? '', account: known.account?.version ?? '' }
}

function remember(known: KnownKey, key: CurrentRecord, account: CurrentRecord): void {
  known.key = read(key, readKeyRecord)
  known.account = read(account, readAccountRecord)
  known.admission = null
}

function read<Record>(current: CurrentRecord, reader: (json: string) => Record): Versioned<Record> {
  return current === null ? null : { version: current.version, record: reader(current.json) }
}
