import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import type { KnownKey } from '../authenticate/known-key.ts'

/**
 * Whether the remembered records refuse a key: it is revoked or expired, or its account is suspended. Then the
 * gateway asks Redis before it reads the body, so that it reads no body for an unusable key.
 */
export function mayBeRefused({ key, account, digest, admission }: KnownKey): boolean {
  if (key === null) return false
  const { record } = key
  // Nearly all keys end here: these records admitted a request before, and the key never expires.
  if (admission !== null && record.expiresAt === null && record.digest === digest) return false
  const verdict = judgeKey({ key: record, account: account?.record ?? null }, digest)
  return !verdict.allowed || (verdict.endsAt !== null && verdict.endsAt <= Date.now())
}
