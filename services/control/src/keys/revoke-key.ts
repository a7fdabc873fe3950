import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { KeyParams, RevokeKeyQuery } from '@tollgate/contracts/http/keys.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq, type SQL } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import { noteBudgetCounts } from '../budgets/stored-budgets.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { isTokenId } from '../database/key-id.ts'
import { keys } from '../database/schema/keys.ts'
import { recordKeysRevoked } from '../events/record-event.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import { type ByWhom, byPrincipal, changeableKey, type KeysOptions } from './key-context.ts'

/** `DELETE /:id` revokes a key. */
export function revokeRoute(app: TypedApp, { database, projector, clock }: KeysOptions): void {
  const { orm } = database
  app.delete(
    '/:id',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke a key',
        description:
          'After success, gateways admit no request with the key. Open requests go on, unless `cut_streams` is `true`: then their streams get a last event with `revoked_api_key`, within a second, or five if Redis loses the announcement. Also ends the open requests of a key that is already revoked. Safe to repeat. Not rate limited.',
        errors: ['not_found', 'forbidden', 'revocation_pending'],
        params: KeyParams,
        querystring: RevokeKeyQuery,
        body: EmptyRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const { accountId, id } = await changeableKey(orm, request)
      const revocation = { accountId, id, cutStreams: request.query.cut_streams === 'true' }
      if (!(await revokeKey(orm, revocation, byPrincipal(request, clock())))) throw new ServiceError('not_found')
      // A repeated call reports whether the revocation is in force now.
      if (!(await projector.keyRevoked(accountId, id))) throw new ServiceError('revocation_pending')
      return { ok: true as const }
    }
  )
}

export interface Revocation {
  readonly accountId: string
  readonly id: string
  /** Whether open requests with the key end, too. */
  readonly cutStreams: boolean
}

/**
 * Revokes a key in the database. An already revoked key does not change, except that its open requests may end now.
 *
 * @returns whether the account has such a key
 */
export async function revokeKey(orm: Orm, revocation: Revocation, by: ByWhom): Promise<boolean> {
  const { cutStreams } = revocation
  const [seen] = await orm
    .select({ status: keys.status, cutStreams: keys.cutStreams })
    .from(keys)
    .where(isKey(revocation))
  if (seen === undefined) return false
  if (seen.status === 'active' || (cutStreams && !seen.cutStreams)) {
    await orm.transaction(async (tx) => {
      if (!(await revokeActiveKey(tx, revocation, by)) && cutStreams) await cutRevokedKey(tx, revocation, by)
    })
  }
  return true
}

/**
 * Revokes a key that was just read as active.
 *
 * @returns false if another call has revoked it since; the time of that call stays
 */
export async function revokeActiveKey(tx: Transaction, revocation: Revocation, by: ByWhom): Promise<boolean> {
  const { accountId, id, cutStreams } = revocation
  const version = await recordChangeOf(tx, revocation)
  const [revoked] = await tx
    .update(keys)
    .set({ status: 'revoked', revokedAt: by.at, cutStreams, version })
    .where(and(isKey(revocation), eq(keys.status, 'active')))
    .returning()
  if (revoked === undefined) return false
  const detail = { label: revoked.label, ...cutDetail(cutStreams), ...by.detail }
  await recordAudit(tx, { accountId, ...by, action: 'key.revoked', subject: id, detail })
  await recordKeysRevoked(tx, [revoked], by.at, by.note)
  await noteBudgetCounts(tx, { accountId, keyId: id }, revoked.budgets)
  return true
}

/** Ends the open requests of a key that is already revoked, unless another call has done so. */
async function cutRevokedKey(tx: Transaction, revocation: Revocation, by: ByWhom): Promise<void> {
  const { accountId, id } = revocation
  const version = await recordChangeOf(tx, revocation)
  const [cut] = await tx
    .update(keys)
    .set({ cutStreams: true, version })
    .where(and(isKey(revocation), eq(keys.cutStreams, false)))
    .returning({ label: keys.label })
  if (cut === undefined) return
  const detail = { label: cut.label, ...cutDetail(true), ...by.detail }
  await recordAudit(tx, { accountId, ...by, action: 'key.revoked', subject: id, detail })
}

async function recordChangeOf(tx: Transaction, revocation: Revocation): Promise<number> {
  await lockChanges(tx)
  const [key] = await tx.select({ digest: keys.digest }).from(keys).where(isKey(revocation))
  return await recordChange(tx, [accountShard(revocation.accountId), secretShard(key!.digest)])
}

/** The part of an audit entry that says whether open requests end. */
export const cutDetail = (cutStreams: boolean): { cut_streams?: true } => (cutStreams ? { cut_streams: true } : {})

const isKey = ({ accountId, id }: Pick<Revocation, 'accountId' | 'id'>) =>
  and(eq(keys.id, id), eq(keys.accountId, accountId))

export interface RevokedKey {
  readonly id: string
  readonly accountId: string
  readonly label: string
}

/**
 * Revokes the live keys of an account in the database, and records an event for each. Other changes wait until the
 * transaction ends. Tokens of playgrounds are revoked too; nobody is told of them.
 *
 * @param which a condition; by default, all keys are revoked
 * @returns the revoked keys, without tokens of playgrounds
 */
export async function revokeKeys(tx: Transaction, accountId: string, now: Date, which?: SQL): Promise<RevokedKey[]> {
  const isLive = and(eq(keys.accountId, accountId), eq(keys.status, 'active'), which)
  const shard = accountShard(accountId)
  await lockChanges(tx)
  const live = await tx.select({ digest: keys.digest }).from(keys).where(isLive)
  const version = await recordChange(tx, [shard, ...live.map(({ digest }) => secretShard(digest))])
  const revoked = await tx.update(keys).set({ status: 'revoked', revokedAt: now, version }).where(isLive).returning({
    id: keys.id,
    accountId: keys.accountId,
    label: keys.label,
    scope: keys.scope,
    metadata: keys.metadata,
    budgets: keys.budgets
  })
  for (const { id: keyId, budgets } of revoked) await noteBudgetCounts(tx, { accountId, keyId }, budgets)
  const ofPeople = revoked.filter(({ id }) => !isTokenId(id))
  await recordKeysRevoked(tx, ofPeople, now)
  return ofPeople
}
