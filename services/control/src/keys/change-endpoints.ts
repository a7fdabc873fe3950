import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { ChangeKeyBody, KeyParams, KeyResponse, RevokeKeyQuery } from '@tollgate/contracts/http/keys.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import { principalOf } from '../callers/principal.ts'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import { byPrincipal } from './by-principal.ts'
import { changeKey } from './change-key.ts'
import { hasTerms, isForPeopleOnly } from './compare-terms.ts'
import type { KeysOptions } from './create-endpoints.ts'
import { toListing } from './list-keys.ts'
import { changeableKey } from './requested-key.ts'
import { revokeKey } from './revoke-key.ts'
import type { ByWhom } from './store-key.ts'

/** `PATCH /:id` changes the terms of a key, `POST /:id/end-grace` ends its old secret, `DELETE /:id` revokes it. */
export function changeEndpoints(app: TypedApp, { database, catalog, projector, clock }: KeysOptions): void {
  const { orm } = database
  const onRequest = app.requireAccount

  app.patch(
    '/:id',
    {
      onRequest,
      schema: {
        operationId: 'changeKey',
        summary: 'Change a key’s label, limits or metadata',
        description:
          'After success, all gateways enforce the new limits. A change of only label or metadata does not wait for the gateways. `change_pending` means that the change is saved and takes effect by itself. Safe to repeat. Creations, rotations and changes of keys share one rate limit per account.',
        isLimited: true,
        errors: ['not_found', 'forbidden', 'key_quota_exceeded', 'budget_changed', 'change_pending'],
        params: KeyParams,
        body: ChangeKeyBody,
        response: answers({ 200: KeyResponse })
      }
    },
    async (request) => {
      const { if_monthly_budget_usd: expectedUsd, ...asked } = request.body
      const caller = principalOf(request)
      const key = await changeableKey(orm, request)
      if (key.status === 'revoked') throw new ServiceError('not_found')
      const { accountId, id } = key
      const row = hasTerms(key, asked)
        ? key
        : await changeKey(orm, catalog, { accountId, id, asked, expectedUsd }, byPrincipal(request, clock()))
      // A repeated call stores nothing, but reports whether the first is in force now.
      const isInForce = await projector.keyChanged(accountId, id)
      if (!isInForce && !isForPeopleOnly(asked)) throw new ServiceError('change_pending')
      return { key: toListing(row, caller) }
    }
  )

  app.post(
    '/:id/end-grace',
    {
      onRequest,
      schema: {
        operationId: 'endKeyGrace',
        summary: 'End the old secret of a rotated key now',
        description:
          'After success, gateways admit no request with the old secret. Open requests go on. `revocation_pending` means that the change is saved and takes effect by itself. Safe to repeat, also without an old secret. Not rate limited.',
        errors: ['not_found', 'forbidden', 'revocation_pending'],
        params: KeyParams,
        body: EmptyRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const { accountId, id } = await changeableKey(orm, request)
      if (!(await endGrace(orm, { accountId, id }, byPrincipal(request, clock())))) throw new ServiceError('not_found')
      // A repeated call reports whether the end is in force now.
      if (!(await projector.keyChanged(accountId, id))) throw new ServiceError('revocation_pending')
      return { ok: true as const }
    }
  )

  app.delete(
    '/:id',
    {
      onRequest,
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

/**
 * Ends the grace of a rotation in the database: the old secret of the key no longer works. Without a grace, nothing changes.
 *
 * @returns whether the account has such an active key
 */
async function endGrace(
  orm: Orm,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  by: ByWhom
): Promise<boolean> {
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    const [key] = await tx
      .select({ digest: keys.digest, label: keys.label, previousDigest: keys.previousDigest })
      .from(keys)
      .where(and(eq(keys.id, id), eq(keys.accountId, accountId), eq(keys.status, 'active')))
    if (key === undefined) return false
    // A repeated call changes nothing.
    if (key.previousDigest === null) return true
    const version = await recordChange(tx, [accountShard(accountId), secretShard(key.digest)])
    await tx.update(keys).set({ previousDigest: null, previousUntil: null, version }).where(eq(keys.id, id))
    const detail = { label: key.label, ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.grace_ended', subject: id, detail })
    return true
  })
}
