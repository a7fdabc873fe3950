import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  AlreadyCreatedResponse,
  KeyParams,
  RotateKeyRequest,
  RotateKeyResponse
} from '@tollgate/contracts/http/keys.ts'
import { digestSecret, displayPrefix, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { assertMayChangeKeys, countKeyChange } from '../accounts/key-change-limit.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { callerOf } from '../callers/session.ts'
import { assertConfirmed } from '../callers/sessions.ts'
import { judgingTime } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { recordKeyRotated } from '../events/record-event.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import { alreadyCreated, findMade, idempotencyKey, idempotencyOf, rememberMade } from './idempotency.ts'
import { type ByWhom, byPrincipal, changeableKey, type KeysOptions, type StoredKey } from './key-context.ts'
import { cutDetail } from './revoke-key.ts'

/** `POST /:id/rotate` gives a key a new secret. Only this answer contains it. */
export function rotateRoute(app: TypedApp, { database, catalog, projector, redis, clock }: KeysOptions): void {
  const { orm } = database
  app.post(
    '/:id/rotate',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'rotateKey',
        summary: 'Replace the secret of a key',
        description:
          'Only this answer contains the new secret. After 200, gateways refuse the old secret at once, or when the requested grace ends. With 202, `in_force` is false: the old secret may still work, and the new one may not work yet. The change takes effect by itself; `GET /api/keys/{id}` shows when. `Idempotency-Key` works as for a new key. With `cut_streams: true`, open requests with the old secret end, too; that needs a grace of 0.',
        isLimited: true,
        parameters: [idempotencyKey],
        errors: ['confirmation_required', 'not_found', 'forbidden', 'already_created'],
        params: KeyParams,
        body: RotateKeyRequest,
        response: answers({ 200: RotateKeyResponse, 202: RotateKeyResponse, 409: AlreadyCreatedResponse })
      }
    },
    async (request, reply) => {
      const { accountId, id, scope, label } = await changeableKey(orm, request)
      if (scope === 'management') assertConfirmed(callerOf(request).confirmed, clock())
      const secret = generateSecret(scope)
      const { grace_seconds: graceSeconds = 0, cut_streams: cutStreams = false } = request.body ?? {}
      if (cutStreams && graceSeconds > 0) {
        throw refused('cut_streams: not possible with grace_seconds, because the old secret still works')
      }
      const idempotency = idempotencyOf(request, `rotate ${id}`)
      const by = byPrincipal(request, clock())
      const graceFrom = await judgingTime(orm, redis, accountId, scope)
      const rotation = { accountId, id, secret, graceSeconds, graceFrom, cutStreams, idempotency }
      const { isNew } = await rotateKey(orm, catalog, rotation, by)
      if (!isNew) return reply.code(409).send(alreadyCreated(id, request.server))
      // The answer has the secret even if Redis lacks it: control cannot show it again.
      const isInForce = await projector.keyChanged(accountId, id)
      return reply.code(isInForce ? 200 : 202).send({ key: { id, label, value: secret, in_force: isInForce } })
    }
  )
}

/** `POST /:id/end-grace` ends the old secret of a rotated key. */
export function endGraceRoute(app: TypedApp, { database, projector, clock }: KeysOptions): void {
  const { orm } = database
  app.post(
    '/:id/end-grace',
    {
      onRequest: app.requireAccount,
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
}

interface Rotation {
  readonly accountId: string
  readonly id: string
  /** The new secret, of the key's scope. Only its digest is stored. */
  readonly secret: string
  /** How long the old secret still works. An even older secret in its grace stops at once. */
  readonly graceSeconds: number
  /** When the grace begins, from {@link judgingTime}: the same clock decides when it ends. */
  readonly graceFrom: Date
  /** Whether open requests with the old secret end, too. */
  readonly cutStreams: boolean
  readonly idempotency: string | null
}

/**
 * Replaces the secret of a key.
 *
 * @throws ServiceError `not_found`, also for a revoked key; `too_many_requests`
 */
async function rotateKey(orm: Orm, catalog: Catalog, rotation: Rotation, by: ByWhom): Promise<StoredKey> {
  const { accountId, id, secret, graceSeconds, graceFrom, cutStreams, idempotency } = rotation
  const digest = digestSecret(secret)
  const shard = accountShard(accountId)
  const until = new Date(graceFrom.getTime() + graceSeconds * 1000)
  if (idempotency === null) await assertMayChangeKeys(orm, catalog, accountId)
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    const made = idempotency === null ? null : await findMade(tx, accountId, idempotency, by.at)
    if (made !== null) return { id: made, isNew: false }
    const [key] = await tx
      .select()
      .from(keys)
      .where(and(eq(keys.id, id), eq(keys.accountId, accountId), eq(keys.status, 'active')))
    if (key === undefined) throw new ServiceError('not_found')
    await countKeyChange(tx, catalog, accountId)
    const version = await recordChange(tx, [shard, secretShard(key.digest), secretShard(digest)])
    await tx.insert(formerSecrets).values({
      digest: key.digest,
      keyId: id,
      accountId,
      scope: key.scope,
      secretShard: key.secretShard,
      version,
      diesAt: until
    })
    await tx
      .update(keys)
      .set({
        digest,
        secretShard: secretShard(digest),
        prefix: displayPrefix(secret),
        previousDigest: graceSeconds > 0 ? key.digest : null,
        previousUntil: graceSeconds > 0 ? until : null,
        cutStreams,
        version
      })
      .where(eq(keys.id, id))
    if (idempotency !== null) await rememberMade(tx, accountId, idempotency, id, by.at)
    const detail = { label: key.label, grace_seconds: graceSeconds, ...cutDetail(cutStreams), ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.rotated', subject: id, detail })
    await recordKeyRotated(tx, key, graceSeconds > 0 ? until : null, by.at)
    return { id, isNew: true }
  })
}

/**
 * Ends the grace of a rotation in the database: the old secret of the key no longer works. Without a grace, nothing
 * changes.
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

const refused = (message: string) => new ServiceError('invalid_request', { message })
