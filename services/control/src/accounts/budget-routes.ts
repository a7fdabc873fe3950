import { isDeepStrictEqual } from 'node:util'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { type AccountBudget, BudgetsResponse, ChangeBudgetsRequest } from '@tollgate/contracts/http/budgets.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { accountShard, budgetField, secretShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { type By, recordAudit } from '../audit/record-audit.ts'
import { countBudgetsNow } from '../budgets/count-budgets.ts'
import { readUses } from '../budgets/read-use.ts'
import {
  describeBudgets,
  readBudgetTerms,
  replaceBudgets,
  toKeyBudget,
  type WantedBudget
} from '../budgets/stored-budgets.ts'
import { callerOf } from '../callers/session.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { accounts, members } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { assertGatewaysEnforce } from '../projection/gateway-abilities.ts'
import type { Projector } from '../projection/projector.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'
import { noteChangedLimits } from './account-plan.ts'
import { readAccount } from './account-routes.ts'
import { assertMayChangeKeys, countKeyChange } from './key-change-limit.ts'

export interface BudgetsOptions {
  readonly database: Database
  readonly redis: RedisLink
  readonly catalog: Catalog
  readonly projector: Pick<Projector, 'accountChanged' | 'keyChanged'>
  readonly clock: Clock
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** `/api/account/budgets`: further budgets of the account and of its members. */
export async function budgetRoutes(instance: FastifyInstance, options: BudgetsOptions): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { projector, clock } = options
  const onRequest = app.requireSession
  const response = answers({ 200: BudgetsResponse })

  app.get(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'getBudgets',
        summary: 'Get the budgets of the account and its members, with what is used of them',
        description:
          'Besides the budget of a month of `GET /api/account`. A member of the team sees those of the account and their own.',
        response
      }
    },
    async (request) => {
      const { accountId, role, user } = callerOf(request)
      const budgets = await readAccountBudgets(options, accountId)
      return {
        budgets: role === 'owner' ? budgets : budgets.filter(({ member_id: id }) => id === null || id === user.id)
      }
    }
  )

  app.put(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'changeBudgets',
        summary: 'Set the budgets of the account and its members',
        description:
          'After success, all gateways enforce them. A new budget counts what its window has already spent. Safe to repeat. Shares its hourly rate limit with changes of keys.',
        isLimited: true,
        errors: ['forbidden', 'change_pending'],
        body: ChangeBudgetsRequest,
        response
      }
    },
    async (request) => {
      const { accountId, role, user } = callerOf(request)
      if (role !== 'owner') throw new ServiceError('forbidden')
      const by = { actorId: user.id, ip: request.ip, at: clock() }
      await assertGatewaysEnforce(options.redis, request.body)
      const keyIds = await changeBudgets(options, accountId, request.body, by)
      let isInForce = await projector.accountChanged(accountId)
      for (let n = 0; n < keyIds.length; n += keysAtOnce) {
        const some = keyIds.slice(n, n + keysAtOnce).map((id) => projector.keyChanged(accountId, id))
        isInForce = (await Promise.all(some)).every((isThere) => isThere) && isInForce
      }
      // A repeated call stores nothing, but reports whether the first is in force now.
      if (!isInForce || !(await countBudgetsNow(options, accountId, null))) throw new ServiceError('change_pending')
      return { budgets: await readAccountBudgets(options, accountId) }
    }
  )
}

/** Records of keys that are written at once: a person may have created thousands. */
const keysAtOnce = 32

async function readAccountBudgets(
  { database: { orm }, redis, clock }: BudgetsOptions,
  accountId: string
): Promise<AccountBudget[]> {
  const { budgets } = await readAccount(orm, accountId)
  const read = budgets.map((budget) => ({ ...budget, field: budgetField(budget) }))
  const uses = await readUses({ orm, redis }, accountId, read, clock())
  return budgets.map((budget, index) => ({
    of: budget.member === undefined ? 'account' : 'member',
    member_id: budget.member ?? null,
    ...toKeyBudget(budget),
    use: uses[index]!
  }))
}

/** @returns the keys whose records changed too @throws ServiceError `invalid_request` naming the field */
async function changeBudgets(
  { database: { orm }, catalog }: BudgetsOptions,
  id: string,
  { budgets: asked }: ChangeBudgetsRequest,
  by: By
): Promise<string[]> {
  const before = await readAccount(orm, id)
  const wanted = readWanted(asked, catalog, before.planInForce)
  if (isDeepStrictEqual(before.budgets.map(withoutId), wanted)) return []
  await assertMayChangeKeys(orm, catalog, id)
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    const account = await readAccount(tx, id)
    const { budgets } = account
    const people = await readPeople(tx, account)
    // A budget of somebody who left may stay: the keys that this person created still work.
    for (const { member } of budgets) if (member !== undefined) people.add(member)
    for (const [index, { member }] of wanted.entries()) {
      if (member === undefined || people.has(member)) continue
      throw new ServiceError('invalid_request', { message: `budgets.${index}.member_id: not a member of the account` })
    }
    // Records of keys that an older release wrote do not name the person. They were written again with the first budget.
    const known = new Set(budgets.map(({ member }) => member))
    const persons = [...new Set(wanted.flatMap(({ member }) => member ?? []))].filter((person) => !known.has(person))
    const ofPersons = and(eq(keys.accountId, id), eq(keys.status, 'active'), inArray(keys.createdBy, persons))
    const touched =
      persons.length === 0 ? [] : await tx.select({ id: keys.id, digest: keys.digest }).from(keys).where(ofPersons)
    const version = await recordChange(tx, [accountShard(id), ...touched.map(({ digest }) => secretShard(digest))])
    await countKeyChange(tx, catalog, id)
    const kept = await replaceBudgets(tx, { accountId: id, keyId: null }, budgets, wanted)
    await tx.update(accounts).set({ budgets: kept, version }).where(eq(accounts.id, id))
    await noteChangedLimits(tx, id)
    if (touched.length > 0) await tx.update(keys).set({ version }).where(ofPersons)
    const detail = { budgets_before: describeBudgets(budgets) ?? '', budgets: describeBudgets(kept) ?? '' }
    await recordAudit(tx, { accountId: id, ...by, action: 'account.updated', detail })
    return touched.map((key) => key.id)
  })
}

const withoutId = ({ id: _id, ...budget }: WantedBudget & { id: number }): WantedBudget => budget

function readWanted(asked: ChangeBudgetsRequest['budgets'], catalog: Catalog, plan: string): readonly WantedBudget[] {
  const { monthlyNanos, others } = readBudgetTerms(asked, catalog, plan)
  if (monthlyNanos === null) return others
  throw new ServiceError('invalid_request', {
    message: 'budgets: the budget of the account for a month and all models is set by PATCH /api/account'
  })
}

async function readPeople(tx: Transaction, { id, ownerId }: { id: string; ownerId: string }): Promise<Set<string>> {
  const rows = await tx.select({ id: members.userId }).from(members).where(eq(members.accountId, id))
  return new Set([ownerId, ...rows.map((row) => row.id)])
}
