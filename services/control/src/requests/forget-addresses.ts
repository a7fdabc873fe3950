import { and, gte, isNotNull, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { inSteps } from '../database/delete-in-steps.ts'
import { requests } from '../database/schema/requests.ts'
import { users } from '../database/schema/users.ts'

const rowsPerStep = 1000

/**
 * Erases the clients' addresses from requests of accounts whose owner was deleted since a time. Everything else in these rows
 * is about the account, whose id no longer leads to a person. An index has only rows with an address.
 *
 * @returns how many rows were changed
 */
export function forgetAddresses(orm: Orm, since: Date, isStopping: () => boolean): Promise<number> {
  return inSteps(rowsPerStep, isStopping, async () => {
    const deleted = orm
      .select({ id: users.id })
      .from(users)
      .where(and(isNotNull(users.deletedAt), gte(users.deletedAt, since)))
    const rows = await queryRows(
      orm,
      sql`
        update ${requests} set address = null
        where (${requests.id}, ${requests.at}) in (
          select id, at from ${requests} where address is not null and account_id in ${deleted} limit ${rowsPerStep}
        )
        returning 1 as changed`
    )
    return rows.length
  })
}
