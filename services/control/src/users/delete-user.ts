import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq, isNotNull, isNull, lte } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { suspendAccount } from '../accounts/suspend-account.ts'
import { type By, byService } from '../audit/by.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import { forgetBrowsers } from '../callers/known-browser.ts'
import { endSessions } from '../callers/sessions.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { invitations, members, passwordResets, users } from '../database/schema.ts'
import type { Identity } from '../identity/identity.ts'
import { revokeKeys } from '../keys/revoke-keys.ts'
import type { Projector } from '../projection/projector.ts'
import { leaveTeam } from '../team/give-up-seat.ts'
import { forgetUnproved } from './proof.ts'

/** A deletion that is older was given up by whoever began it. */
const abandonedMs = 5 * 60_000
/** How many of those one look completes. */
const batch = 20

export type DeletionOptions = {
  database: Database
  identity: Pick<Identity, 'deleteUser'>
  catalog: Catalog
  projector: Pick<Projector, 'accountChanged'>
  customerRefresher: Pick<CustomerRefresher, 'refresh'>
  clock: Clock
}

/**
 * Deletes a user. Each step can be repeated, and none depends on anything but the one before: whatever fails or crashes
 * is completed by doing all of it again, by the user, whose session ends last, or by the sweep.
 *
 * 1. Here: no key of the personal account works any more, and none can be made.
 * 2. In Redis: the account is refused from the next admission on. Its keys follow with the projection.
 * 3. At the payment provider: what the account pays for ends, as with every account that is closed whenever it is read.
 * 4. At the identity provider: the user is deleted.
 * 5. Here: name and address are forgotten, sessions end. Ledger and audit log stay, with an id that means nobody.
 *
 * @throws ServiceError `team_has_members`, `revocation_pending` (Redis is away), `payments_unavailable`,
 * `identity_unavailable`
 */
export async function deleteUser(options: DeletionOptions, id: string, by: By): Promise<void> {
  const { database, identity, catalog, projector, customerRefresher } = options
  await database.orm.transaction((tx) => closeAccount(tx, id, by))
  if (!(await projector.accountChanged(id))) throw new ServiceError('revocation_pending')
  await customerRefresher.refresh(id)
  await identity.deleteUser(id)
  await database.orm.transaction((tx) => forgetUser(tx, catalog, id, by))
}

/** Completes deletions that nobody works on any more. One that fails again is left to the next time. */
export async function finishDeletions(
  options: DeletionOptions & { log: Pick<FastifyBaseLogger, 'warn'> }
): Promise<void> {
  const now = options.clock()
  const left = await options.database.orm
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        isNotNull(users.deletionStartedAt),
        lte(users.deletionStartedAt, new Date(now.getTime() - abandonedMs)),
        isNull(users.deletedAt)
      )
    )
    .orderBy(users.deletionStartedAt)
    .limit(batch)
  for (const { id } of left) {
    try {
      await deleteUser(options, id, byService(now))
    } catch (err) {
      options.log.warn({ err, userId: id }, 'a user could not be deleted completely yet')
    }
  }
}

async function closeAccount(tx: Transaction, id: string, by: By): Promise<void> {
  const [user] = await tx
    .select({ startedAt: users.deletionStartedAt })
    .from(users)
    .where(eq(users.id, id))
    .for('no key update')
  if (user === undefined) return
  const revoked = await revokeKeys(tx, id, by.at)
  // After the change was recorded, so that nobody joins any more.
  if ((await tx.$count(members, eq(members.accountId, id))) > 0) throw new ServiceError('team_has_members')
  await tx.delete(invitations).where(eq(invitations.accountId, id))
  await suspendAccount(tx, id, 'deleted', by)
  if (user.startedAt !== null) return
  await tx.update(users).set({ deletionStartedAt: by.at }).where(eq(users.id, id))
  await recordAudit(tx, { accountId: id, ...by, action: 'user.deleted', subject: id, detail: { keys: revoked.length } })
}

async function forgetUser(tx: Transaction, catalog: Catalog, id: string, by: By): Promise<void> {
  const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, id)).for('no key update')
  if (user === undefined) return
  await leaveTeam(tx, catalog, id, by)
  // The session still stood, and could have made another.
  await revokeKeys(tx, id, by.at)
  await endSessions(tx, id)
  await forgetBrowsers(tx, id)
  await forgetUnproved(tx, id)
  await tx.delete(passwordResets).where(eq(passwordResets.userId, id))
  await tx.delete(invitations).where(eq(invitations.email, user.email.toLowerCase()))
  await tx
    .update(users)
    .set({ email: '', provedEmail: null, name: '', plan: null, deletedAt: by.at })
    .where(eq(users.id, id))
}
