import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { type Setup, SetupResponse } from '@tollgate/contracts/http/setup.ts'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Caller, callerOf } from '../callers/session.ts'
import { effectivePlan } from '../catalog/plans.ts'
import type { Clock } from '../clocks/clock.ts'
import { type Database, type Orm, queryRows } from '../database/connect.ts'
import { accounts, invitations, members } from '../database/schema/accounts.ts'
import { keys } from '../database/schema/keys.ts'
import { ledger } from '../database/schema/usage.ts'

export interface SetupOptions {
  database: Database
  catalog: Catalog
  clock: Clock
}

/**
 * `/api/account/setup`: which steps of a new account are done. The dashboard lists them until all are, or it is
 * dismissed.
 */
export async function setupRoutes(
  instance: FastifyInstance,
  { database: { orm }, catalog, clock }: SetupOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const onRequest = app.requireSession

  app.get(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'getSetup',
        summary: 'Get the first steps of an account, and which are done',
        response: answers({ 200: SetupResponse })
      }
    },
    async (request) => {
      const caller = callerOf(request)
      const { planInForce, setupDismissedAt, hasKey, hasUsage, hasInvited } = await readFacts(orm, caller)
      const plan = effectivePlan(catalog, planInForce)
      const steps = judgeSetup({
        role: caller.role,
        hasKey,
        hasUsage,
        hasInvited,
        seatLimit: catalog.plans[plan]!.seats,
        isOnFreePlan: plan === freePlan,
        arePlansOnSale: Object.values(catalog.plans).some(({ prices = [] }) => prices.some(({ isSold }) => isSold))
      })
      return { setup: { steps, dismissed: setupDismissedAt !== null } }
    }
  )

  app.post(
    '/dismiss',
    {
      onRequest,
      schema: {
        operationId: 'dismissSetup',
        summary: 'Hide the list of first steps for everybody in the account',
        errors: ['forbidden'],
        body: EmptyRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      const { accountId, role } = callerOf(request)
      if (role !== 'owner') throw new ServiceError('forbidden')
      await orm
        .update(accounts)
        .set({ setupDismissedAt: clock() })
        .where(and(eq(accounts.id, accountId), isNull(accounts.setupDismissedAt)))
      return { ok: true as const }
    }
  )
}

async function readFacts(orm: Orm, { accountId }: Caller) {
  const [account] = await orm
    .select({ planInForce: accounts.planInForce, setupDismissedAt: accounts.setupDismissedAt })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  if (account === undefined) throw new Error(`account ${accountId} does not exist`)
  const [facts] = await queryRows<{ has_key: boolean; has_usage: boolean; has_invited: boolean }>(
    orm,
    sql`
      select
        exists (select from ${keys} where ${keys.accountId} = ${accountId} and ${keys.sessionId} is null) as has_key,
        exists (select from ${ledger} where ${ledger.accountId} = ${accountId}) as has_usage,
        exists (select from ${members} where ${members.accountId} = ${accountId})
          or exists (select from ${invitations} where ${invitations.accountId} = ${accountId}) as has_invited`
  )
  return { ...account, hasKey: facts!.has_key, hasUsage: facts!.has_usage, hasInvited: facts!.has_invited }
}

/** What an account has, as far as the steps of a new account need it. */
export interface SetupFacts {
  readonly role: 'owner' | 'seat'
  readonly hasKey: boolean
  /** Also a call from the playground. */
  readonly hasUsage: boolean
  /** Members besides the owner, and invitations. */
  readonly hasInvited: boolean
  /** Seats of the plan, the owner's included; null for any number. */
  readonly seatLimit: number | null
  readonly isOnFreePlan: boolean
  /** Whether any plan can be bought. */
  readonly arePlansOnSale: boolean
}

/**
 * Lists the steps that apply to the caller. Nobody can sign in without a confirmed address, so the first is always
 * done.
 */
export function judgeSetup(facts: SetupFacts): Setup['steps'] {
  const isOwner = facts.role === 'owner'
  const mayInvite = isOwner && (facts.seatLimit === null || facts.seatLimit > 1)
  return [
    { step: 'confirm_address', done: true },
    { step: 'create_key', done: facts.hasKey },
    { step: 'first_call', done: facts.hasUsage },
    ...(mayInvite ? [{ step: 'invite_member' as const, done: facts.hasInvited }] : []),
    ...(isOwner && (facts.arePlansOnSale || !facts.isOnFreePlan)
      ? [{ step: 'choose_plan' as const, done: !facts.isOnFreePlan }]
      : [])
  ]
}
