import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { KeyParams, KeyResponse, TopUpKeyRequest } from '@tollgate/contracts/http/keys.ts'
import type { Parameter } from '@tollgate/contracts/openapi/document.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { assertMayChangeKeys, countKeyChange } from '../accounts/key-change-limit.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { principalOf } from '../callers/principal.ts'
import { exactNanos, toUsd } from '../catalog/plans.ts'
import type { Orm } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import { endByChange } from '../refusals/end-refusals.ts'
import { findMade, idempotencyOf, rememberMade } from './idempotency.ts'
import { type ByWhom, byPrincipal, changeableKey, type KeysOptions } from './key-context.ts'
import { toListing } from './list-keys.ts'

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'A random text. Within 24 hours, a request with the same one adds nothing, and gets 200; with another amount, it gets 409.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' }
}

/** The most that a budget may be, as for a new one. */
const maxUsd = 1e6

/** `POST /:id/top-up` adds to the budget of a key for its lifetime. */
export function topUpRoute(app: TypedApp, { database, catalog, projector, clock }: KeysOptions): void {
  const { orm } = database
  app.post(
    '/:id/top-up',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'topUpKey',
        summary: 'Add to the lifetime budget of a key',
        description:
          'Adds to the budget with the window `lifetime` that counts all models. Two calls at once both count. After success, all gateways enforce the new limit. `change_pending` means that the change is saved and takes effect by itself.',
        isLimited: true,
        parameters: [idempotencyKey],
        errors: ['not_found', 'forbidden', 'change_pending', 'idempotency_key_reused'],
        params: KeyParams,
        body: TopUpKeyRequest,
        response: answers({ 200: KeyResponse })
      }
    },
    async (request) => {
      const { accountId, id, status } = await changeableKey(orm, request)
      if (status === 'revoked') throw new ServiceError('not_found')
      const idempotency = idempotencyOf(request, `top-up ${id}`)
      if (idempotency === null) throw refused('Idempotency-Key: send one, so that a repeated call adds once')
      const nanos = exactNanos('add_usd', request.body.add_usd)
      await assertMayChangeKeys(orm, catalog, accountId)
      const row = await topUp({ orm, catalog }, { accountId, id, nanos, idempotency }, byPrincipal(request, clock()))
      if (!(await projector.keyChanged(accountId, id))) throw new ServiceError('change_pending')
      return { key: toListing(row, principalOf(request)) }
    }
  )
}

/** @throws ServiceError `not_found`, also for a revoked key; `invalid_request`; `idempotency_key_reused`; `too_many_requests` */
async function topUp(
  { orm, catalog }: { orm: Orm; catalog: KeysOptions['catalog'] },
  { accountId, id, nanos, idempotency }: { accountId: string; id: string; nanos: number; idempotency: string },
  by: ByWhom
): Promise<typeof keys.$inferSelect> {
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    const [key] = await tx
      .select()
      .from(keys)
      .where(and(eq(keys.id, id), eq(keys.accountId, accountId), eq(keys.status, 'active')))
    if (key === undefined) throw new ServiceError('not_found')
    const made = await findMade(tx, accountId, idempotency, by.at)
    // Releases before this check stored no amount.
    if (made === id || made === topUpName(id, nanos)) return key
    if (made !== null) throw new ServiceError('idempotency_key_reused')
    const budget = key.budgets.find(({ window, models }) => window === 'lifetime' && models === undefined)
    if (budget === undefined) throw refused('add_usd: the key has no budget with the window lifetime for all models')
    const limit = budget.nanos + nanos
    if (toUsd(limit) > maxUsd) throw refused(`add_usd: the budget would be more than $${maxUsd}`)
    await countKeyChange(tx, catalog, accountId)
    const version = await recordChange(tx, [accountShard(accountId), secretShard(key.digest)])
    const budgets = key.budgets.map((one) => (one === budget ? { ...one, nanos: limit } : one))
    const [row] = await tx.update(keys).set({ budgets, version }).where(eq(keys.id, id)).returning()
    await rememberMade(tx, accountId, idempotency, topUpName(id, nanos), by.at)
    await endByChange(tx, accountId, id)
    const detail = { label: key.label, added_usd: toUsd(nanos), lifetime_budget_usd: toUsd(limit), ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.updated', subject: id, detail })
    return row!
  })
}

/** What a repeated call must be equal to. */
const topUpName = (id: string, nanos: number): string => `${id} ${nanos}`

const refused = (message: string) => new ServiceError('invalid_request', { message })
