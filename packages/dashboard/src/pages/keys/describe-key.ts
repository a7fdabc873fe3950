import type { Account } from '../../layout/owner.tsx'
import type { Key } from './read-key-form.ts'

/**
 * A model to try a key with: a chat model if the key may call one.
 *
 * @param allowed names; null for every model of the plan
 */
export function modelToTry(offered: Account['models'], allowed: readonly string[] | null): string {
  const usable = offered.filter(({ id }) => allowed === null || allowed.includes(id))
  return (usable.find(({ kind }) => kind === 'chat') ?? usable[0])?.id ?? ''
}

/** When the old value of a rotated key stops working; null if it does not work now. */
export function oldValueUntil(
  { status, old_secret_until: until, expires_at: expiry }: Pick<Key, 'status' | 'old_secret_until' | 'expires_at'>,
  now: Date
): string | null {
  if (status !== 'active' || until === null) return null
  const end = expiry !== null && new Date(expiry) < new Date(until) ? expiry : until
  return new Date(end) > now ? end : null
}
