import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { chargedPrices, type PriceGroup } from '@tollgate/contracts/catalog/list-prices.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  type Account,
  AccountResponse,
  ChangeAccountRequest,
  type OfferedModel
} from '@tollgate/contracts/http/account.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type By, recordAudit } from '../audit/record-audit.ts'
import { type Caller, callerOf } from '../callers/session.ts'
import type { CatalogPublisher } from '../catalog/catalog-publisher.ts'
import { effectivePlan, limitsInForce, priceGroupInForce, readOwnCap, toUsd } from '../catalog/plans.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { waitsForApproval } from '../database/derived-columns.ts'
import { accounts } from '../database/schema/accounts.ts'
import type { Projector } from '../projection/projector.ts'
import { recordChange } from '../projection/record-change.ts'
import { noteChangedLimits } from './account-plan.ts'
import { assertMayChangeKeys, countKeyChange } from './key-change-limit.ts'

/** Converts picodollars per token to dollars per million tokens. */
const usdPerMillion = (picosPerToken: number): number => picosPerToken / 1e6

/**
 * @param id of a model of the catalog
 * @param group of the account: prices are what it pays
 */
function toOfferedModel({ models }: Catalog, id: string, group: PriceGroup | null): OfferedModel {
  const model = models[id]!
  const { inputPicos, cachedInputPicos, outputPicos, reasoningPicos = outputPicos } = chargedPrices(model, group)
  return {
    id,
    kind: model.kind,
    usd_per_million_tokens: {
      input: usdPerMillion(inputPicos),
      cached_input: usdPerMillion(cachedInputPicos),
      output: usdPerMillion(outputPicos),
      reasoning: usdPerMillion(reasoningPicos)
    }
  }
}

export interface AccountOptions {
  database: Database
  catalog: Catalog
  catalogPublisher: Pick<CatalogPublisher, 'leftOutModels'>
  projector: Pick<Projector, 'accountChanged'>
  clock: Clock
}

type Row = typeof accounts.$inferSelect

/** `/api/account`: the caller's account, and the monthly cap that its owner sets. */
export async function accountRoutes(instance: FastifyInstance, options: AccountOptions): Promise<void> {
  const { database, projector, clock } = options
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { orm } = database
  const onRequest = app.requireSession
  const response = answers({ 200: AccountResponse })

  app.get(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'getAccount',
        summary: 'Get the account that the caller acts for',
        response
      }
    },
    async (request) => {
      const caller = callerOf(request)
      return { account: await toAnswer(options, await readAccount(orm, caller.accountId), caller) }
    }
  )

  app.patch(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'changeAccount',
        summary: 'Set a monthly cap below the plan’s',
        description:
          'After success, all gateways enforce the new cap. Safe to repeat. Shares its hourly rate limit with changes of keys.',
        isLimited: true,
        errors: ['forbidden', 'budget_changed', 'change_pending'],
        body: ChangeAccountRequest,
        response
      }
    },
    async (request) => {
      const caller = callerOf(request)
      if (caller.role !== 'owner') throw new ServiceError('forbidden')
      const by = { actorId: caller.user.id, ip: request.ip, at: clock() }
      await changeOwnCap(options, caller.accountId, request.body, by)
      // A repeated call stores nothing, but reports whether the first is in force now.
      if (!(await projector.accountChanged(caller.accountId))) throw new ServiceError('change_pending')
      return { account: await toAnswer(options, await readAccount(orm, caller.accountId), caller) }
    }
  )
}

/** @throws ServiceError `budget_changed` */
async function changeOwnCap(
  { database: { orm }, catalog }: AccountOptions,
  id: string,
  { monthly_budget_usd: usd, if_monthly_budget_usd: expected }: ChangeAccountRequest,
  by: By
): Promise<void> {
  const before = await readAccount(orm, id)
  if (readOwnCap(usd, planCapNanos(catalog, before)) === before.ownCapNanos) return
  await assertMayChangeKeys(orm, catalog, id)
  await orm.transaction(async (tx) => {
    const version = await recordChange(tx, [accountShard(id)])
    await countKeyChange(tx, catalog, id)
    // Checked again under the lock: the plan may have changed.
    const account = await readAccount(tx, id)
    if (expected !== undefined && expected !== ownCapUsd(account)) throw new ServiceError('budget_changed')
    const ownCapNanos = readOwnCap(usd, planCapNanos(catalog, account))
    await tx.update(accounts).set({ ownCapNanos, version }).where(eq(accounts.id, id))
    await noteChangedLimits(tx, id)
    const detail = { monthly_budget_usd_before: ownCapUsd(account), monthly_budget_usd: usd }
    await recordAudit(tx, { accountId: id, ...by, action: 'account.updated', detail })
  })
}

async function toAnswer({ catalog, catalogPublisher }: AccountOptions, row: Row, { role }: Caller): Promise<Account> {
  const leftOut = await catalogPublisher.leftOutModels()
  const plan = effectivePlan(catalog, row.planInForce)
  const models = catalog.plans[plan]!.models.filter((model) => !leftOut.has(model))
  const group = priceGroupInForce(catalog, row)
  return {
    id: row.id,
    plan,
    models: models.map((model) => toOfferedModel(catalog, model, group)),
    status: row.status,
    ...(waitsForApproval(row.suspensions) && { waits_for_approval: true as const }),
    role,
    monthly_budget_usd: ownCapUsd(row),
    plan_monthly_budget_usd: toUsd(planCapNanos(catalog, row))
  }
}

/** The plan's cap, or the operator's. */
const planCapNanos = (catalog: Catalog, row: Row): number => limitsInForce(catalog, row).monthlyNanos

const ownCapUsd = ({ ownCapNanos }: Row): number | null => (ownCapNanos === null ? null : toUsd(ownCapNanos))

/** The row of an account. */
export async function readAccount(orm: Orm, id: string): Promise<Row> {
  const [row] = await orm.select().from(accounts).where(eq(accounts.id, id))
  if (row === undefined) throw new Error(`account ${id} does not exist`)
  return row
}
