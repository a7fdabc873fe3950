import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import type { AdminAccountsQuery } from '@tollgate/contracts/http/admin/accounts.ts'
import { and, eq, notInArray, type SQL, sql } from 'drizzle-orm'
import { accounts } from '../database/schema/accounts.ts'
import { customers } from '../database/schema/billing.ts'
import { keys } from '../database/schema/keys.ts'
import { members } from '../database/schema/team.ts'
import { users } from '../database/schema/users.ts'
import { isInTeam, isWaiting } from '../database/suspensions.ts'
import { foldCase } from '../http/fold-case.ts'
import { isKeyId } from '../key-ids/key-id.ts'

/** A shorter text is hardly meant as an account's id, but begins many. */
const idPrefix = /^[0-9a-f-]{4,36}$/

/** The condition on `accounts` and `customers` for the accounts that a query asks for. */
export function matchAccounts(catalog: Catalog, query: AdminAccountsQuery): SQL | undefined {
  const { q, plan, status, past_due: pastDue } = query
  return and(
    q === undefined ? undefined : sql`${accounts.id} in (${found(q)})`,
    plan === undefined ? undefined : hasPlan(catalog, plan),
    status === undefined ? undefined : hasStatus[status],
    pastDue === undefined ? undefined : eq(customers.isPastDue, true)
  )
}

const hasStatus: Readonly<Record<NonNullable<AdminAccountsQuery['status']>, SQL>> = {
  active: eq(accounts.status, 'active'),
  suspended: sql`(${accounts.status} = 'suspended' and not ${isWaiting} and not ${isInTeam})`,
  waiting: isWaiting,
  in_team: isInTeam
}

/** Ids of the accounts that a text finds. Texts are compared without patterns, so wildcards have no meaning. */
function found(q: string): SQL {
  const text = foldCase(q.trim())
  const hasAddress = sql`strpos(lower(${users.email}), ${text}) > 0`
  const parts = [
    sql`select ${accounts.id} from ${accounts} join ${users} on ${users.id} = ${accounts.ownerId} where ${hasAddress}`,
    sql`select ${members.accountId} from ${members} join ${users} on ${users.id} = ${members.userId} where ${hasAddress}`,
    // The first comparison is cheap, and most keys have no metadata.
    sql`
      select ${keys.accountId} from ${keys}
      where ${keys.metadata} <> '{}' and
        jsonb_path_exists(${keys.metadata}, '$.* ? (@ == $q)', jsonb_build_object('q', ${q}::text))`
  ]
  if (idPrefix.test(text)) {
    parts.push(sql`select ${accounts.id} from ${accounts} where starts_with(${accounts.id}::text, ${text})`)
  }
  if (isKeyId(q.trim())) parts.push(sql`select ${keys.accountId} from ${keys} where ${keys.id} = ${q.trim()}`)
  return sql.join(parts, sql` union `)
}

/** Accounts with a plan that the catalog lacks have the free plan. */
function hasPlan(catalog: Catalog, plan: string): SQL {
  const others = Object.keys(catalog.plans).filter((id) => id !== freePlan)
  if (plan === freePlan) return notInArray(accounts.planInForce, others)
  return others.includes(plan) ? eq(accounts.planInForce, plan) : sql`false`
}
