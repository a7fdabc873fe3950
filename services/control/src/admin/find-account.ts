import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { eq } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { isUuid } from '../http/is-uuid.ts'

/**
 * The account that the path names.
 *
 * @param id any text of the caller
 * @throws ServiceError `not_found`
 */
export async function findAccount(orm: Orm, id: string): Promise<typeof accounts.$inferSelect> {
  // PostgreSQL refuses other forms. Shards follow from the lower-case form.
  const own = id.toLowerCase()
  const [row] = isUuid(own) ? await orm.select().from(accounts).where(eq(accounts.id, own)) : []
  if (row === undefined) throw new ServiceError('not_found', { message: 'There is no account with this id.' })
  return row
}
