import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { and, asc, eq, inArray, isNull, lt, not, sql } from 'drizzle-orm'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { users } from '../database/schema/users.ts'
import type { Identity, IdentityUser } from '../identity/identity.ts'
import type { Mailboxes } from '../mailboxes/mailbox.ts'
import type { Projector } from '../projection/projector.ts'
import { adoptUser } from './adopt-user.ts'

export interface CompareOptions {
  database: Database
  identity: Pick<Identity, 'findUser'>
  catalog: Catalog
  mailboxes: Mailboxes
  projector: Pick<Projector, 'accountChanged'>
  clock: Clock
}

const isSuspended = sql<boolean>`'identity' = any(${accounts.suspensions})`
/** Users not seen since the sweep began. Deleted users, and users that the provider lacks or bans, are excluded. */
const isUnlisted = (startedAt: Date) => and(isNull(users.deletedAt), lt(users.syncedAt, startedAt), not(isSuspended))

/** Users read by id before the lease is renewed. */
const batch = 20

/** Updates our users that differ from the provider's list. It ignores people who never signed in here. */
export async function adoptListed(options: CompareOptions, listed: readonly IdentityUser[]): Promise<void> {
  const { database, clock, mailboxes } = options
  const ids = listed.map(({ id }) => id)
  if (ids.length === 0) return
  const rows = await database.orm
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      plan: users.plan,
      isOperator: users.isOperator,
      operatorRoles: users.operatorRoles,
      mailbox: accounts.mailbox,
      isSuspended
    })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.id))
    .where(and(inArray(users.id, ids), isNull(users.deletedAt)))
  const known = new Map(rows.map((row) => [row.id, row]))
  const same: string[] = []
  for (const seen of listed) {
    const row = known.get(seen.id)
    if (row === undefined) continue
    const isSame =
      row.email === seen.email &&
      row.name === seen.name &&
      row.plan === seen.plan &&
      row.isOperator === seen.isOperator &&
      row.operatorRoles === seen.operatorRoles &&
      row.isSuspended === seen.isBanned &&
      (row.isSuspended || (row.mailbox !== null && mailboxes.isPresent(row.mailbox)))
    if (isSame) same.push(seen.id)
    else await adopt(options, seen.id, seen)
  }
  if (same.length > 0) await database.orm.update(users).set({ syncedAt: clock() }).where(inArray(users.id, same))
}

/**
 * Reads some of the users by id that the list has not shown since the sweep began. It skips users known to be missing or
 * banned: if they come back, the list shows them.
 *
 * @returns how many users it selected; 0 if none are left
 */
export async function adoptUnlisted(
  options: CompareOptions,
  startedAt: Date,
  pause: () => Promise<void>,
  signal: AbortSignal
): Promise<number> {
  const { database, identity } = options
  const rows = await database.orm
    .select({ id: users.id })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.id))
    .where(isUnlisted(startedAt))
    .orderBy(asc(users.syncedAt), asc(users.id))
    .limit(batch)
  for (const { id } of rows) {
    if (signal.aborted) break
    await adopt(options, id, await identity.findUser(id))
    await pause()
  }
  return rows.length
}

/** Whether the list has not yet shown one of our users since the sweep began. */
export async function isAnyoneUnlisted({ database }: CompareOptions, startedAt: Date): Promise<boolean> {
  const rows = await database.orm
    .select({ id: users.id })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.id))
    .where(isUnlisted(startedAt))
    .limit(1)
  return rows.length > 0
}

async function adopt(options: CompareOptions, id: string, seen: IdentityUser | null): Promise<void> {
  const { database, projector, clock } = options
  const { isAccountChanged } = await database.orm.transaction((tx) => adoptUser(tx, options, id, seen, clock()))
  if (isAccountChanged) await projector.accountChanged(id)
}
