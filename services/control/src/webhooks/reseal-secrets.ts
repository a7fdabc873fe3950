import { eq } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { webhookEndpoints } from '../database/schema/webhooks.ts'
import { presentPrefix, type SealKeys, seal, unseal } from '../secrets/seal.ts'
import { sealedWithout } from './store-endpoint.ts'

/**
 * Encrypts secrets with the present key that an earlier one encrypted, so that the earlier one can be removed. Any number of
 * replicas may do this at once.
 *
 * @returns how many endpoints have new texts, and how many have secrets that no key decrypts
 */
export async function resealSecrets(orm: Orm, keys: SealKeys): Promise<{ resealed: number; unreadable: number }> {
  const counts = { resealed: 0, unreadable: 0 }
  if (keys.length === 0) return counts
  const old = await orm
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(sealedWithout(presentPrefix(keys)))
  for (const { id } of old) counts[(await resealOne(orm, keys, id)) ? 'resealed' : 'unreadable']++
  return counts
}

/** @returns false if no key decrypts one of the secrets; then nothing changes */
function resealOne(orm: Orm, keys: SealKeys, id: string): Promise<boolean> {
  const isIt = eq(webhookEndpoints.id, id)
  return orm.transaction(async (tx) => {
    const [endpoint] = await tx.select().from(webhookEndpoints).where(isIt).for('no key update')
    if (endpoint === undefined) return true
    const secret = unseal(keys, id, endpoint.secret)
    const previous = endpoint.previousSecret === null ? null : unseal(keys, id, endpoint.previousSecret)
    if (secret === null || (previous === null && endpoint.previousSecret !== null)) return false
    const previousSecret = previous === null ? null : seal(keys, id, previous)
    await tx
      .update(webhookEndpoints)
      .set({ secret: seal(keys, id, secret), previousSecret })
      .where(isIt)
    return true
  })
}
