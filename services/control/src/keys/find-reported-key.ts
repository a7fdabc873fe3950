import type { FindReportedKeyRequest } from '@tollgate/contracts/http/admin/keys.ts'
import { digestSecret } from '@tollgate/contracts/keys/secret.ts'
import { eq, or, type SQL } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { users } from '../database/schema/users.ts'

export type ReportedKey = NonNullable<Awaited<ReturnType<typeof findReportedKey>>>

/**
 * Finds a key of any account, with the owner of the account. A secret or hash may also be one that a rotation replaced.
 *
 * @returns null if there is no such key
 */
export async function findReportedKey(orm: Orm, reported: FindReportedKeyRequest) {
  const [key] = await orm
    .select({
      id: keys.id,
      accountId: keys.accountId,
      label: keys.label,
      scope: keys.scope,
      prefix: keys.prefix,
      status: keys.status,
      ownerEmail: users.email,
      ownerName: users.name
    })
    .from(keys)
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .leftJoin(users, eq(users.id, accounts.ownerId))
    .where('id' in reported ? eq(keys.id, reported.id) : hasSecret(orm, digestOf(reported)))
  return key ?? null
}

type ReportedSecret = Exclude<FindReportedKeyRequest, { id: string }>

/** People paste secrets with spaces and line breaks around them. */
const digestOf = (reported: ReportedSecret): string =>
  'hash' in reported ? reported.hash : digestSecret(reported.value.trim())

function hasSecret(orm: Orm, digest: string): SQL | undefined {
  const replaced = orm.select({ id: formerSecrets.keyId }).from(formerSecrets).where(eq(formerSecrets.digest, digest))
  // Compared as one value, so that both sides use an index.
  return or(eq(keys.digest, digest), eq(keys.id, replaced))
}
