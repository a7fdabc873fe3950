import type { UsageKey } from '@tollgate/contracts/http/usage.ts'
import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { keys } from '../database/schema/keys.ts'

/** Reads the names of the keys of usage or requests, including keys that are no longer listed. */
export async function readKeyNames(
  orm: Orm,
  accountId: string,
  used: ReadonlyArray<{ readonly key_id?: string }>
): Promise<UsageKey[]> {
  const ids = [...new Set(used.flatMap(({ key_id: id }) => id ?? []))]
  // One parameter: there may be thousands of keys.
  return queryRows<UsageKey>(
    orm,
    sql`
      select ${keys.id} as id, ${keys.label} as label, ${keys.prefix} as prefix
      from ${keys}
      where ${keys.accountId} = ${accountId}
        and ${keys.id} in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))`
  )
}
