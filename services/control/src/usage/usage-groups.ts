import type { UsageGrouping } from '@tollgate/contracts/http/usage.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { keys } from '../database/schema/keys.ts'

/** Which usage of an account a report sums, and how. */
export interface UsageGroups {
  readonly groupBy: UsageGrouping
  /** How many of the largest groups stay separate, by cost; null: all. */
  readonly top: number | null
  /** Only this key; the id of a key. */
  readonly key?: string | undefined
  /** Only this model. */
  readonly model?: string | undefined
}

const metadataPrefix = 'metadata.'

/** A table with a row for each use of a key. */
interface Used {
  readonly accountId: PgColumn
  readonly keyId: PgColumn
  readonly model: PgColumn
}

/** How SQL finds the group of a row: an expression, and what has to be joined for it. */
export interface GroupSql {
  readonly part: SQL
  readonly join: SQL
}

/**
 * Groups rows of the ledger or the request log.
 *
 * The join names the account, too: the index of an account's keys then finds them, however many keys others have.
 */
export function groupSql(groupBy: UsageGrouping, used: Used): GroupSql {
  const join = sql`left join ${keys} on ${keys.id} = ${used.keyId} and ${keys.accountId} = ${used.accountId}`
  if (groupBy === 'model') return { part: sql`${used.model}`, join: sql`` }
  if (groupBy === 'key') return { part: sql`${used.keyId}`, join: sql`` }
  if (groupBy === 'member') return { part: sql`${keys.createdBy}::text`, join }
  if (groupBy === 'none') return { part: sql`null::text`, join: sql`` }
  return { part: sql`(${keys.metadata} ->> ${groupBy.slice(metadataPrefix.length)}::text)`, join }
}

/** Keeps only the rows of the key and the model that a report is about. */
export const onlyWanted = ({ key, model }: Pick<UsageGroups, 'key' | 'model'>, used: Used): SQL =>
  sql.join([
    key === undefined ? sql`` : sql` and ${used.keyId} = ${key}`,
    model === undefined ? sql`` : sql` and ${used.model} = ${model}`
  ])

/** A row of an answer: the group, or null; and whether it stands for the smaller groups together. */
export interface GroupRow {
  readonly part: string | null
  readonly others: boolean
}

/** The members of a bucket that say which group it belongs to. */
export function groupMembers(
  groupBy: UsageGrouping,
  { part, others }: GroupRow
): {
  model?: string
  key_id?: string
  member_id?: string | null
  metadata_value?: string | null
  others?: true
} {
  if (others) return { others }
  if (groupBy === 'model') return { model: part ?? '' }
  if (groupBy === 'key') return { key_id: part ?? '' }
  if (groupBy === 'member') return { member_id: part }
  return groupBy === 'none' ? {} : { metadata_value: part }
}

/**
 * Marks the rows of all groups but the largest. Equal groups are ordered by name, so that an answer does not change by itself.
 *
 * @param size sums a row's part of the size of its group
 * @returns a select with all columns of `from`, and `others`
 */
export function markOthers(from: SQL, size: SQL, top: number | null): SQL {
  if (top === null) return sql`select *, false as others from ${from}`
  return sql`
    select *, dense_rank() over (order by size desc, part nulls last) > ${top}::int as others
    from (select *, sum(${size}) over (partition by part) as size from ${from}) as sized`
}
