import type { KnownKey } from '../authenticate/known-key.ts'
import { judgeKey } from './judge.ts'

/**
 * Whether a key is refused by what this process remembers of it: revoked, expired, or of a suspended account. Then Redis
 * is asked before a body is read, so that a dead key costs the gateway no reading.
 */
export function mayBeRefused({ key, account, digest, admission }: KnownKey): boolean {
  if (key === null) return false
  const { record } = key
  // Nearly all keys: admitted on these records before, and without an end.
  if (admission !== null && record.expiresAt === null && record.digest === digest) return false
  const verdict = judgeKey({ key: record, account: account?.record ?? null }, digest)
  return !verdict.allowed || (verdict.endsAt !== null && verdict.endsAt <= Date.now())
}
