import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { eq } from 'drizzle-orm'
import { effectivePlan } from '../catalog/effective-plan.ts'
import type { Orm } from '../database/connect.ts'
import { accounts, members } from '../database/schema.ts'

/** The team that shares an account. */
export interface TeamFacts {
  readonly plan: string
  readonly isSuspended: boolean
  /** Seats taken, besides the owner's. */
  readonly seats: number
  /** Seats of the plan, the owner's included; null for any number. */
  readonly seatLimit: number | null
}

/** @returns null if there is no such account */
export async function readTeamFacts(orm: Orm, catalog: Catalog, accountId: string): Promise<TeamFacts | null> {
  const [account] = await orm
    .select({
      plan: accounts.plan,
      status: accounts.status,
      seats: orm.$count(members, eq(members.accountId, accountId))
    })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  if (account === undefined) return null
  const plan = effectivePlan(catalog, account.plan)
  return {
    plan,
    isSuspended: account.status === 'suspended',
    seats: account.seats,
    seatLimit: catalog.plans[plan]!.seats
  }
}
