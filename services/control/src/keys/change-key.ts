import { isDeepStrictEqual } from 'node:util'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { ChangeKeyBody, type ChangeKeyRequest, KeyParams, KeyResponse } from '@tollgate/contracts/http/keys.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq } from 'drizzle-orm'
import { assertMayChangeKeys, countKeyChange } from '../accounts/key-change-limit.ts'
import { listText, recordAudit } from '../audit/record-audit.ts'
import { countBudgetsNow } from '../budgets/count-budgets.ts'
import { describeBudgets, replaceBudgets } from '../budgets/stored-budgets.ts'
import { principalOf } from '../callers/principal.ts'
import { toUsd } from '../catalog/plans.ts'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { noteBudget } from '../notices/spend-checks.ts'
import { assertGatewaysEnforce } from '../projection/gateway-abilities.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import { endByChange } from '../refusals/end-refusals.ts'
import { type ByWhom, byPrincipal, changeableKey, type KeysOptions } from './key-context.ts'
import { assertKeyQuota } from './key-quota.ts'
import { hasTerms, isForPeopleOnly, readKeyTerms } from './key-terms.ts'
import { toListing, toStoredKey } from './list-keys.ts'

/** `PATCH /:id` changes the terms of a key. */
export function changeRoute(app: TypedApp, options: KeysOptions): void {
  const { database, catalog, projector, redis, clock } = options
  const { orm } = database
  app.patch(
    '/:id',
    {
      onRequest: app.requireAccount,
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
      const { if_monthly_budget_usd: expectedUsd, ...terms } = request.body
      const caller = principalOf(request)
      const key = await changeableKey(orm, request)
      if (key.status === 'revoked') throw new ServiceError('not_found')
      const { accountId, id } = key
      const { addresses, budgets, tokens_per_minute, concurrent_requests } = terms
      await assertGatewaysEnforce(redis, {
        ...(!isDeepStrictEqual(addresses, key.addresses) && { addresses }),
        budgets,
        ...(tokens_per_minute !== key.tokensPerMinute && { tokens_per_minute }),
        ...(concurrent_requests !== key.concurrentRequests && { concurrent_requests })
      })
      const row = hasTerms(key, terms)
        ? key
        : await changeKey(orm, catalog, { accountId, id, asked: terms, expectedUsd }, byPrincipal(request, clock()))
      // A repeated call stores nothing, but reports whether the first is in force now.
      const isInForce = (await projector.keyChanged(accountId, id)) && (await countBudgetsNow(options, accountId, id))
      if (!isInForce && !isForPeopleOnly(terms)) throw new ServiceError('change_pending')
      return { key: toListing(row, caller) }
    }
  )
}

/** Terms by which a key refuses requests. */
const refusingTerms = [
  'monthlyBudgetNanos',
  'budgets',
  'exhaustedModel',
  'requestsPerMinute',
  'tokensPerMinute',
  'concurrentRequests',
  'models',
  'addresses',
  'paused'
] as const

/**
 * Changes the terms of a key.
 *
 * @param key.expectedUsd the budget that the caller saw; undefined to change whatever it is
 * @throws ServiceError `not_found`, also for a revoked key; `invalid_request` naming a field; `budget_changed`;
 *   `key_quota_exceeded` if an expired key would become active again and exceed the quota; `too_many_requests`
 */
export async function changeKey(
  orm: Orm,
  catalog: Catalog,
  key: {
    readonly accountId: string
    readonly id: string
    readonly asked: ChangeKeyRequest
    readonly expectedUsd?: number | null | undefined
  },
  by: ByWhom
): Promise<typeof keys.$inferSelect> {
  const { accountId, id, asked, expectedUsd } = key
  await assertMayChangeKeys(orm, catalog, accountId)
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    const [present] = await tx
      .select({ key: keys, planInForce: accounts.planInForce, overrideLimits: accounts.overrideLimits })
      .from(keys)
      .innerJoin(accounts, eq(accounts.id, keys.accountId))
      .where(and(eq(keys.id, id), eq(keys.accountId, accountId), eq(keys.status, 'active')))
    if (present === undefined) throw new ServiceError('not_found')
    const budgetUsd = present.key.monthlyBudgetNanos === null ? null : toUsd(present.key.monthlyBudgetNanos)
    if (expectedUsd !== undefined && expectedUsd !== budgetUsd) throw new ServiceError('budget_changed')
    const { budgets, ...terms } = readKeyTerms(asked, catalog, present.planInForce, by.at)
    // During the wait for the lock, the key may have expired and another key taken its place in the quota.
    if (present.key.expiresAt !== null && terms.expiresAt !== undefined) {
      const { planInForce, overrideLimits } = present
      const account = { id: accountId, planInForce, overrideLimits }
      await assertKeyQuota(tx, catalog, account, { scope: present.key.scope, besides: id }, by.at)
    }
    await countKeyChange(tx, catalog, accountId)
    const version = await recordChange(tx, [accountShard(accountId), secretShard(present.key.digest)])
    const ofKey = { accountId, keyId: id }
    const kept = budgets === undefined ? {} : { budgets: await replaceBudgets(tx, ofKey, present.key.budgets, budgets) }
    const [row] = await tx
      .update(keys)
      .set({ ...terms, ...kept, version })
      .where(eq(keys.id, id))
      .returning()
    const isWatchedAnew =
      row!.monthlyBudgetNanos !== present.key.monthlyBudgetNanos ||
      !isDeepStrictEqual(row!.budgets, present.key.budgets) ||
      !isDeepStrictEqual(row!.thresholds, present.key.thresholds)
    if (isWatchedAnew) await noteBudget(tx, accountId, id)
    if (refusingTerms.some((term) => !isDeepStrictEqual(row![term], present.key[term])))
      await endByChange(tx, accountId, id)
    const changed = Object.keys(asked).sort().join(', ')
    const detail = { ...changedValues(present.key, row!), label: row!.label, changed, ...by.detail }
    await recordAudit(tx, { accountId, ...by, action: 'key.updated', subject: id, detail })
    return row!
  })
}

type Row = typeof keys.$inferSelect
type Value = string | number | boolean | null

/**
 * What changed in a key, for the audit log: the new value of each setting, and the old one as `<name>_before`. Metadata
 * is left out: it may have personal data, which the log would keep for longer than the key.
 */
export function changedValues(before: Row, after: Row): Record<string, Value> {
  const [old, present] = [settingsOf(before), settingsOf(after)]
  const changed = Object.entries(present).filter(([name, value]) => value !== old[name])
  return Object.fromEntries(
    changed.flatMap(([name, value]) => [
      [`${name}_before`, old[name]!],
      [name, value]
    ])
  )
}

function settingsOf(row: Row): Record<string, Value> {
  const { models, addresses, thresholds, ...stored } = toStoredKey(row)
  const { paused, label, expires_at, monthly_budget_usd } = stored
  const { requests_per_minute, tokens_per_minute, concurrent_requests } = stored
  const lists = {
    models: listText(models),
    addresses: listText(addresses),
    thresholds: listText(thresholds),
    budgets: describeBudgets(row.budgets)
  }
  const onExhausted = { on_exhausted: row.exhaustedModel ?? null }
  const rates = { requests_per_minute, tokens_per_minute, concurrent_requests }
  return { paused, label, expires_at, monthly_budget_usd, ...rates, ...onExhausted, ...lists }
}
