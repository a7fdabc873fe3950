import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import { and, eq, isNull, lt, or } from 'drizzle-orm'
import { databaseNowMs } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { statusInForce } from '../database/key-status.ts'
import { accounts } from '../database/schema/accounts.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { isPausedByTeam } from '../database/suspensions.ts'

/** `last_used` may be this old: less than the 5 s that a listing promises. */
const useNotedEveryMs = 2000

const columns = {
  id: keys.id,
  accountId: keys.accountId,
  scope: keys.scope,
  digest: keys.digest,
  previousDigest: keys.previousDigest,
  previousUntil: keys.previousUntil,
  expiresAt: keys.expiresAt,
  status: keys.status,
  paused: keys.paused,
  accountStatus: accounts.status,
  suspensions: accounts.suspensions,
  // PostgreSQL's clock, because the replicas' clocks may differ.
  nowMs: databaseNowMs
}

export interface ManagementKey {
  id: string
  accountId: string
}

/**
 * Finds the management key of a secret, and applies the policy that gateways apply to inference keys.
 *
 * @param digest the secret's
 * @throws ServiceError `invalid_api_key`, `revoked_api_key`, `expired_api_key`, `paused_api_key` or `account_suspended`
 */
export async function findManagementKey(orm: Orm, digest: string): Promise<ManagementKey> {
  const row = (await findCurrent(orm, digest)) ?? (await findFormer(orm, digest))
  if (row === undefined || row.scope !== 'management') throw new ServiceError('invalid_api_key')
  const { previousDigest, previousUntil, expiresAt } = row
  const isGraceSet = previousDigest !== null && previousUntil !== null
  const previous = isGraceSet ? { digest: previousDigest, until: previousUntil.getTime() } : null
  const key = { status: statusInForce(row), digest: row.digest, previous, expiresAt: expiresAt?.getTime() ?? null }
  const isOwnerInTeam = isPausedByTeam(row.suspensions)
  const verdict = judgeKey(
    { key, account: { status: row.accountStatus, ...(isOwnerInTeam && { isOwnerInTeam }) } },
    digest
  )
  if (!verdict.allowed) {
    const { code, message } = verdict
    throw new ServiceError(code, message === undefined ? {} : { message })
  }
  if (verdict.endsAt !== null && verdict.endsAt <= row.nowMs) throw new ServiceError(verdict.endedCode)
  return { id: row.id, accountId: row.accountId }
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

/** Stores the last use of a key, at most every two seconds. */
export async function noteUse(orm: Orm, id: string, now: Date): Promise<void> {
  const notedBefore = new Date(now.getTime() - useNotedEveryMs)
  await orm
    .update(keys)
    .set({ lastUsedAt: now })
    .where(and(eq(keys.id, id), or(isNull(keys.lastUsedAt), lt(keys.lastUsedAt, notedBefore))))
}
