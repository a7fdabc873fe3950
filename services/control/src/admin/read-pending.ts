import type { PendingAct } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { and, asc, eq, gt, isNull, type SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Orm } from '../database/connect.ts'
import { pendingActs } from '../database/schema/admin.ts'
import { users } from '../database/schema/users.ts'

const owners = alias(users, 'owners')
const maxListed = 100

/** Acts that wait for a second operator, the oldest first. */
export const listPending = (orm: Orm, now: Date): Promise<PendingAct[]> =>
  read(orm, and(isNull(pendingActs.outcome), gt(pendingActs.endsAt, now)))

/** The pending act that was stored just now. */
export async function readPending(orm: Orm, id: string): Promise<PendingAct> {
  const [pending] = await read(orm, eq(pendingActs.id, id))
  return pending!
}

async function read(orm: Orm, which: SQL | undefined): Promise<PendingAct[]> {
  const rows = await orm
    .select({ act: pendingActs, askerEmail: users.email, accountEmail: owners.email })
    .from(pendingActs)
    .leftJoin(users, and(eq(users.id, pendingActs.askedBy), isNull(users.deletedAt)))
    .leftJoin(owners, and(eq(owners.id, pendingActs.accountId), isNull(owners.deletedAt)))
    .where(which)
    .orderBy(asc(pendingActs.askedAt), asc(pendingActs.id))
    .limit(maxListed)
  return rows.map(({ act, askerEmail, accountEmail }) => ({
    id: act.id,
    action: act.action,
    account_id: act.accountId,
    account_email: accountEmail,
    detail: act.detail,
    reason: act.reason,
    asked_by: act.askedBy,
    asked_by_email: askerEmail,
    asked_at: act.askedAt.toISOString(),
    ends_at: act.endsAt.toISOString()
  }))
}
