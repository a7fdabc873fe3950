import type { UsageMember } from '@tollgate/contracts/http/usage.ts'
import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'
import { users } from '../database/schema/users.ts'

/** Reads the names of the users who created keys of an account, including users who have left its team. */
export async function readMemberNames(
  orm: Orm,
  accountId: string,
  used: ReadonlyArray<{ readonly member_id?: string | null }>
): Promise<UsageMember[]> {
  const ids = [...new Set(used.flatMap(({ member_id: id }) => id ?? []))]
  return queryRows<UsageMember>(
    orm,
    sql`
      select ${users.id}::text as id, ${users.name} as name
      from ${users}
      where ${users.id} in (select json_array_elements_text(${JSON.stringify(ids)}::text::json)::uuid)
        and exists (select 1 from ${keys} where ${keys.createdBy} = ${users.id} and ${keys.accountId} = ${accountId})
      order by 2, 1`
  )
}
