import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { pausedAccountMessage } from '@tollgate/contracts/errors/table.ts'
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import { isPausedByTeam } from '../accounts/suspend-account.ts'
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
  accountStatus: accounts.status,
  suspensions: accounts.suspensions
}

export type ManagementKey = { id: string; accountId: string }

/**
 * Finds the management key that a secret belongs to, and judges it as the gateway judges others.
 *
 * @param digest of the secret
 * @throws ServiceError `invalid_api_key`, `revoked_api_key`, `expired_api_key` or `account_suspended`
 */
export async function findManagementKey(orm: Orm, digest: string): Promise<ManagementKey> {
  const key = (await findCurrent(orm, digest)) ?? (await findFormer(orm, digest))
  if (key === undefined || key.scope !== 'management') throw new ServiceError('invalid_api_key')
  if (key.status === 'revoked') throw new ServiceError('revoked_api_key')
  const isInGrace = key.previousDigest === digest && key.isGraceOpen
  if (key.digest !== digest && !isInGrace) throw new ServiceError('revoked_api_key')
  if (key.isExpired) throw new ServiceError('expired_api_key')
  if (key.accountStatus === 'suspended') {
    const isPaused = isPausedByTeam(key.suspensions)
    throw new ServiceError('account_suspended', isPaused ? { message: pausedAccountMessage } : {})
  }
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
