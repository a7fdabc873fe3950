import type { Key } from './read-key-form.ts'

/** When the old value of a rotated key stops working; null if it does not work now. */
export function oldValueUntil(
  { status, old_secret_until: until, expires_at: expiry }: Pick<Key, 'status' | 'old_secret_until' | 'expires_at'>,
  now: Date
): string | null {
  if (status !== 'active' || until === null) return null
  const end = expiry !== null && new Date(expiry) < new Date(until) ? expiry : until
  return new Date(end) > now ? end : null
}
