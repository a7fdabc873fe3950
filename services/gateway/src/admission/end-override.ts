import { overrideEndsAt, withoutEnded } from '@tollgate/contracts/records/override.ts'
import type { KnownKey } from '../authenticate/known-key.ts'

/**
 * Called after Redis said that the secret or the account's override has ended. Forgets the part of the override that ends
 * first, unless the secret ends earlier: Redis' clock decides, not this process's.
 *
 * @returns whether a part was forgotten; then the request is judged again
 */
export function endOverride(known: KnownKey, secretEndsAt: number | null): boolean {
  if (known.account === null) return false
  const { version, record } = known.account
  const until = overrideEndsAt(record)
  if (until === null || (secretEndsAt !== null && secretEndsAt < until)) return false
  known.account = { version, record: withoutEnded(record, until) }
  known.admission = null
  return true
}

/** The earlier of two times; null is never. */
export const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
