import { overrideEndsAt, withoutEnded } from '@tollgate/contracts/records/budgets.ts'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import type { KnownKey, Versioned } from '../authenticate/known-key.ts'

/**
 * Called after Redis said that the secret or the account's override has ended. Forgets the part of the override that
 * ends first, unless the secret ends earlier: Redis' clock decides, not this process's.
 *
 * @param judged the account's record that the request was judged by. Another request may have replaced it since
 * @returns whether the override has ended; then the request is judged again
 */
export function endOverride(key: KnownKey, judged: Versioned<AccountRecord>, secretEndsAt: number | null): boolean {
  const until = judged && overrideEndsAt(judged.record)
  if (until === null || (secretEndsAt !== null && secretEndsAt < until)) return false
  if (key.accountRecord === judged) {
    key.accountRecord = { version: judged!.version, record: withoutEnded(judged!.record, until) }
    key.admission = null
  }
  return true
}

/** The earlier of two times; null is never. */
export const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
