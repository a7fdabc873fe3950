import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { eq } from 'drizzle-orm'
import { effectivePlan } from '../catalog/effective-plan.ts'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { members } from '../database/schema/team.ts'

/** The state of a team. */
export interface TeamFacts {
  readonly plan: string
  readonly isSuspended: boolean
  /** Seats taken, besides the owner's. */
  readonly seats: number
  /** Seats of the plan, including the owner's; null for any number. */
  readonly seatLimit: number | null
}

/** @returns null if the account does not exist */
export async function readTeamFacts(orm: Orm, catalog: Catalog, accountId: string): Promise<TeamFacts | null> {
  const [account] = await orm
    .select({
      plan: accounts.planInForce,
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
