import { inArray } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import type { StoredNotice } from '../database/schema/mails.ts'
import { users } from '../database/schema/users.ts'

/** What a mail says of a person whose budget a notice is about. Absent if they are deleted, or have no name. */
export interface NamedMember {
  readonly member_name?: string
}

/** Adds the names of people whose budgets notices are about. Events and stored mails have only their ids. */
export async function nameMembers(orm: Orm, notices: readonly StoredNotice[]): Promise<StoredNotice[]> {
  const memberOf = ({ type, data }: StoredNotice): string | null =>
    type === 'budget.window_threshold' || type === 'budget.window_forecast'
      ? (data as { member_id: string | null }).member_id
      : null
  const ids = new Set(notices.flatMap((notice) => memberOf(notice) ?? []))
  if (ids.size === 0) return [...notices]
  const people = await orm
    .select({ id: users.id, name: users.name })
    .from(users)
    .where(inArray(users.id, [...ids]))
  const nameOf = new Map(people.flatMap(({ id, name }) => (name === '' ? [] : [[id, name] as const])))
  return notices.map((notice) => {
    const name = nameOf.get(memberOf(notice) ?? '')
    return name === undefined
      ? notice
      : { ...notice, data: { ...notice.data, member_name: name } satisfies NamedMember }
  })
}
