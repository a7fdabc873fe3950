import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import type { Reserved } from '@tollgate/state/spend/read-reserved.ts'
import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { ledger } from '../database/schema/usage.ts'
import type { Day } from './decide-closing.ts'

/**
 * Sums what all accounts that are free now have spent in a day, and what is reserved for their running requests; nanodollars. An
 * account is free without a paid plan in force, and without a monthly budget from an operator: gateways decide it in the same way.
 * Deleted accounts are free.
 *
 * @throws the error of PostgreSQL
 */
export async function readFreeSpend(
  orm: Orm,
  catalog: Pick<Catalog, 'plans'>,
  day: Day,
  reserved: readonly Reserved[]
): Promise<bigint> {
  const paid = Object.keys(catalog.plans).filter((plan) => plan !== freePlan)
  const hour = (at: number) => sql.param(new Date(at), ledger.hour)
  const [sum] = await queryRows<{ nanos: string }>(
    orm,
    sql`
      with free as (
        select ${accounts.id} as id from ${accounts}
        where not exists (
            select from json_array_elements_text(${JSON.stringify(paid)}::text::json) as paid (plan)
            where paid.plan = ${accounts.planInForce}
          )
          and ${accounts.overrideLimits} -> 'monthlyNanos' is null
      ), spent as (
        select ${ledger.accountId} as id, ${ledger.costNanos} as nanos from ${ledger}
        where ${ledger.hour} >= ${hour(day.from)} and ${ledger.hour} < ${hour(day.to)}
        union all
        select account, nanos from json_to_recordset(${JSON.stringify(reserved)}::text::json) as reserved (account uuid, nanos bigint)
      )
      select coalesce(sum(nanos), 0)::text as nanos from spent join free using (id)`
  )
  return BigInt(sum!.nanos)
}
