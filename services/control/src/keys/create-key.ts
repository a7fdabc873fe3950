import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { AlreadyCreatedResponse, CreateKeyRequest, CreateKeyResponse } from '@tollgate/contracts/http/keys.ts'
import { digestSecret, displayPrefix, generateSecret, type KeyScope } from '@tollgate/contracts/keys/secret.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import { assertMayChangeKeys, countKeyChange } from '../accounts/key-change-limit.ts'
import { refuseWaiting } from '../accounts/suspensions.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { numberBudgets } from '../budgets/stored-budgets.ts'
import { principalOf } from '../callers/principal.ts'
import { callerOf } from '../callers/session.ts'
import { assertConfirmed } from '../callers/sessions.ts'
import type { Orm } from '../database/connect.ts'
import { newKeyId } from '../database/key-id.ts'
import { accounts } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { recordKeyCreated } from '../events/record-event.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { assertGatewaysEnforce } from '../projection/gateway-abilities.ts'
import { recordChange } from '../projection/record-change.ts'
import { alreadyCreated, findMade, idempotencyKey, idempotencyOf, rememberMade } from './idempotency.ts'
import { type ByWhom, byPrincipal, type KeysOptions, type StoredKey } from './key-context.ts'
import { assertKeyQuota, mayCreateByServer } from './key-quota.ts'
import { readKeyTerms } from './key-terms.ts'

/** `POST /` creates a key. Only this answer contains its secret. */
export function createRoute(app: TypedApp, { database, catalog, projector, redis, clock }: KeysOptions): void {
  const { orm } = database
  app.post(
    '/',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'createKey',
        summary: 'Create a key',
        description:
          'Only this answer contains the secret. A repeated request with the same `Idempotency-Key` within 24 hours creates no second key, and gets the id of the first. A management key also needs a sign-in or a confirmation in the last 10 minutes.',
        isLimited: true,
        parameters: [idempotencyKey],
        errors: [
          'account_suspended',
          'partner_api_not_allowed',
          'key_quota_exceeded',
          'forbidden',
          'confirmation_required',
          'account_changed',
          'already_created'
        ],
        body: CreateKeyRequest,
        response: answers({ 201: CreateKeyResponse, 409: AlreadyCreatedResponse })
      }
    },
    async (request, reply) => {
      const { accountId, role } = principalOf(request)
      const { label, scope = 'inference', account_id: expected = accountId } = request.body
      // The owner of a team may have removed this member since they read their keys.
      if (expected !== accountId) throw new ServiceError('account_changed')
      // A management key can change every key of the account, so only the signed-in owner may create one.
      if (scope === 'management') {
        if (role !== 'owner') throw new ServiceError('forbidden')
        assertConfirmed(callerOf(request).confirmed, clock())
      }
      await assertGatewaysEnforce(redis, request.body)
      const secret = generateSecret(scope)
      const idempotency = idempotencyOf(request, 'create')
      const by = byPrincipal(request, clock())
      const { id, isNew } = await storeKey(
        orm,
        catalog,
        { accountId, scope, secret, asked: request.body, idempotency },
        by
      )
      if (!isNew) return reply.code(409).send(alreadyCreated(id, request.server))
      // The answer has the secret even if Redis lacks the key: control cannot show it again, and the key works soon.
      await projector.keyChanged(accountId, id)
      return reply.code(201).send({ key: { id, label, value: secret } })
    }
  )
}

interface NewKey {
  readonly accountId: string
  readonly scope: KeyScope
  /** A secret of that scope. Only its digest is stored. */
  readonly secret: string
  readonly asked: CreateKeyRequest
  /** From {@link idempotencyOf}, or null. */
  readonly idempotency: string | null
}

/**
 * Stores a new key if the account's limits allow it.
 *
 * @throws ServiceError `account_suspended` (it waits for approval), `partner_api_not_allowed`, `key_quota_exceeded`,
 *   `too_many_requests`, or `invalid_request` naming a term that the plan does not allow
 */
async function storeKey(orm: Orm, catalog: Catalog, key: NewKey, by: ByWhom): Promise<StoredKey> {
  const { accountId, scope, secret, asked, idempotency } = key
  const digest = digestSecret(secret)
  const shards = { accountShard: accountShard(accountId), secretShard: secretShard(digest) }

  /** Checks the limits. The result is final only under the lock of changes. */
  async function checkLimits(db: Orm): Promise<{ made: string } | { terms: ReturnType<typeof readKeyTerms> }> {
    const made = idempotency === null ? null : await findMade(db, accountId, idempotency, by.at)
    if (made !== null) return { made }
    const [account] = await db
      .select({
        id: accounts.id,
        planInForce: accounts.planInForce,
        overrideLimits: accounts.overrideLimits,
        suspensions: accounts.suspensions
      })
      .from(accounts)
      .where(eq(accounts.id, accountId))
    if (account === undefined) throw new Error(`account ${accountId} does not exist`)
    refuseWaiting(account.suspensions)
    const isForServer = scope === 'management' || by.detail.by_key !== undefined
    if (isForServer && !mayCreateByServer(catalog, account.planInForce)) {
      throw new ServiceError('partner_api_not_allowed')
    }
    const terms = readKeyTerms(asked, catalog, account.planInForce, by.at)
    await assertKeyQuota(db, catalog, account, { scope }, by.at)
    await assertMayChangeKeys(db, catalog, accountId)
    return { terms }
  }

  // Most refusals need no lock. A request with an `Idempotency-Key` may repeat the request that took the last place of
  // the quota, so it is only checked under the lock.
  if (idempotency === null) await checkLimits(orm)
  const id = newKeyId()
  return await orm.transaction(async (tx) => {
    const version = await recordChange(tx, [shards.accountShard, shards.secretShard])
    const outcome = await checkLimits(tx)
    if ('made' in outcome) return { id: outcome.made, isNew: false }
    await countKeyChange(tx, catalog, accountId)
    const { budgets: wanted = [], ...terms } = outcome.terms
    const budgets = await numberBudgets(tx, wanted)
    const [stored] = await tx
      .insert(keys)
      .values({
        id,
        accountId,
        createdBy: by.actorId,
        ...terms,
        budgets,
        label: asked.label,
        scope,
        prefix: displayPrefix(secret),
        digest,
        status: 'active',
        ...shards,
        version,
        createdAt: by.at
      })
      .returning()
    if (idempotency !== null) await rememberMade(tx, accountId, idempotency, id, by.at)
    const detail = { label: asked.label, scope, ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.created', subject: id, detail })
    await recordKeyCreated(tx, stored!, by.at)
    return { id, isNew: true }
  })
}
