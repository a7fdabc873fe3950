import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts, formerSecrets, keys } from '../database/schema.ts'

/** `last_used` may be this far behind: less than a listing promises, and far more than the time between two calls. */
const useNotedEveryMs = 2000

const columns = {
  id: keys.id,
  accountId: keys.accountId,
  scope: keys.scope,
  digest: keys.digest,
  previousDigest: keys.previousDigest,
  // By PostgreSQL's clock: those of replicas may differ.
  isGraceOpen: sql<boolean>`coalesce(${keys.previousUntil} > now(), false)`,
  isExpired: sql<boolean>`coalesce(${keys.expiresAt} <= now(), false)`,
  status: keys.status,
  accountStatus: accounts.status
}

export type ManagementKey = { id: string; accountId: string }

/**
 * Finds the management key that a secret belongs to, and judges it as the gateway judges others.
 *
 * @param digest of the secret
 * @returns why it is refused, if it is
 */
export async function findManagementKey(orm: Orm, digest: string): Promise<ManagementKey | ErrorCode> {
  const key = (await findCurrent(orm, digest)) ?? (await findFormer(orm, digest))
  if (key === undefined || key.scope !== 'management') return 'invalid_api_key'
  if (key.status === 'revoked') return 'revoked_api_key'
  const isInGrace = key.previousDigest === digest && key.isGraceOpen
  if (key.digest !== digest && !isInGrace) return 'revoked_api_key'
  if (key.isExpired) return 'expired_api_key'
  if (key.accountStatus === 'suspended') return 'account_suspended'
  return { id: key.id, accountId: key.accountId }
}

async function findCurrent(orm: Orm, digest: string) {
  const [key] = await orm
    .select(columns)
    .from(keys)
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .where(eq(keys.digest, digest))
  return key
}

async function findFormer(orm: Orm, digest: string) {
  const [key] = await orm
    .select(columns)
    .from(formerSecrets)
    .innerJoin(keys, eq(keys.id, formerSecrets.keyId))
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .where(eq(formerSecrets.digest, digest))
  return key
}

/** Writes down that a key was used, unless that was written a moment ago. */
export async function noteUse(orm: Orm, id: string, now: Date): Promise<void> {
  const notedBefore = new Date(now.getTime() - useNotedEveryMs)
  await orm
    .update(keys)
    .set({ lastUsedAt: now })
    .where(and(eq(keys.id, id), or(isNull(keys.lastUsedAt), lt(keys.lastUsedAt, notedBefore))))
}
