import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { and, eq, isNotNull, isNull, lte } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { closeFreeBudget } from '../accounts/free-budget.ts'
import { suspendAccount } from '../accounts/suspensions.ts'
import { type By, byService, recordAudit } from '../audit/record-audit.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import { forgetBrowsers } from '../callers/known-browser.ts'
import { endSessions } from '../callers/sessions.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { invitations, members } from '../database/schema/accounts.ts'
import { mails, mutedMails, unsubscribeLinks } from '../database/schema/mails.ts'
import {
  events,
  noticeSettings,
  openRefusals,
  refusals,
  seenEvents,
  spendChecks,
  toldBudgets,
  toldWindows
} from '../database/schema/notices.ts'
import { passwordResets, recoveryCodes, users } from '../database/schema/users.ts'
import type { Identity } from '../identity/identity.ts'
import { revokeKeys } from '../keys/revoke-key.ts'
import { userRecipient } from '../mail/recipients.ts'
import type { Projector } from '../projection/projector.ts'
import { leaveTeam } from '../team/remove-seat.ts'
import { readCertainSpend } from '../usage/month-spend.ts'
import { deleteEndpoints } from '../webhooks/store-endpoint.ts'
import { forgetUnproved } from './proof.ts'

/** An older deletion counts as abandoned. */
const abandonedMs = 5 * 60_000
/** Abandoned deletions per round. */
const batch = 20

export interface DeletionOptions {
  database: Database
  identity: Pick<Identity, 'deleteUser'>
  redis: RedisLink
  catalog: Catalog
  projector: Pick<Projector, 'accountChanged'>
  customerRefresher: Pick<CustomerRefresher, 'refresh'>
  clock: Clock
}

type OnDeletionStart = (tx: Transaction) => Promise<void>

/**
 * Deletes a user. Each step can be repeated, and depends only on the step before. After a failure or a crash, all steps
 * run again: when the user asks again, because the session ends last, or in the sweep.
 *
 * 1. PostgreSQL: every key of the personal account is revoked, and the account cannot get new ones.
 * 2. Redis: the next admission refuses the account. The projection then revokes its keys.
 * 3. PostgreSQL: what the account spent this month is stored, for a next account of the same mailbox.
 * 4. Payment provider: the account's subscriptions end, as at every refresh of a closed account.
 * 5. Identity provider: the user is deleted.
 * 6. PostgreSQL: name, address, events and mails are erased, sessions end. Ledger and audit log stay, with an anonymous
 * id.
 *
 * @param onStart called once for each deletion, in the transaction that starts it
 * @throws ServiceError `team_has_members`, `revocation_pending` and `state_unavailable` (Redis is unavailable),
 *   `payments_unavailable`,
 * `identity_unavailable`
 */
export async function deleteUser(
  options: DeletionOptions,
  id: string,
  by: By,
  onStart: OnDeletionStart = async () => undefined
): Promise<void> {
  const { database, identity, catalog, projector, customerRefresher, redis, clock } = options
  await database.orm.transaction((tx) => closeAccount(tx, id, by, onStart))
  if (!(await projector.accountChanged(id))) throw new ServiceError('revocation_pending')
  const now = clock()
  const { settled, reserved } = await readCertainSpend(database.orm, redis, id, now)
  await database.orm.transaction((tx) => closeFreeBudget(tx, id, now, settled + reserved))
  await customerRefresher.refresh(id)
  await identity.deleteUser(id)
  await database.orm.transaction((tx) => forgetUser(tx, catalog, id, by))
}

/** Completes abandoned deletions. A deletion that fails again is retried in the next round. */
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
      options.log.warn({ err, userId: id }, 'a user is not completely deleted yet; the next round tries again')
    }
  }
}

async function closeAccount(tx: Transaction, id: string, by: By, onStart: OnDeletionStart): Promise<void> {
  const [user] = await tx
    .select({ startedAt: users.deletionStartedAt })
    .from(users)
    .where(eq(users.id, id))
    .for('no key update')
  if (user === undefined) return
  const revoked = await revokeKeys(tx, id, by.at)
  // Counted after the change is recorded: from then on, nobody can join.
  if ((await tx.$count(members, eq(members.accountId, id))) > 0) throw new ServiceError('team_has_members')
  await tx.delete(invitations).where(eq(invitations.accountId, id))
  await suspendAccount(tx, id, 'deleted', by)
  await onStart(tx)
  if (user.startedAt !== null) return
  await tx.update(users).set({ deletionStartedAt: by.at }).where(eq(users.id, id))
  await recordAudit(tx, { accountId: id, ...by, action: 'user.deleted', subject: id, detail: { keys: revoked.length } })
}

async function forgetUser(tx: Transaction, catalog: Catalog, id: string, by: By): Promise<void> {
  const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, id)).for('no key update')
  if (user === undefined) return
  await leaveTeam(tx, catalog, id, by)
  // The session was still open, and may have created another key.
  await revokeKeys(tx, id, by.at)
  await deleteEndpoints(tx, id)
  await endSessions(tx, id)
  await forgetBrowsers(tx, id)
  await forgetUnproved(tx, id)
  await forgetNotices(tx, id)
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, id))
  await tx.delete(passwordResets).where(eq(passwordResets.userId, id))
  await tx.delete(invitations).where(eq(invitations.email, user.email.toLowerCase()))
  await tx
    .update(users)
    .set({
      email: '',
      provedEmail: null,
      name: '',
      plan: null,
      isOperator: false,
      operatorRoles: null,
      deletedAt: by.at
    })
    .where(eq(users.id, id))
}

/** Deletes the events and counts of refusals of a deleted user's own account, their mails, and all settings of both. */
async function forgetNotices(tx: Transaction, userId: string): Promise<void> {
  // A personal account has the id of its user.
  for (const table of [events, mails, noticeSettings, openRefusals, refusals, spendChecks, toldBudgets, toldWindows]) {
    await tx.delete(table).where(eq(table.accountId, userId))
  }
  await tx.delete(seenEvents).where(eq(seenEvents.userId, userId))
  const recipient = userRecipient(userId)
  // Those to an operator.
  await tx.delete(mails).where(and(isNull(mails.accountId), eq(mails.recipient, recipient)))
  await tx.delete(mutedMails).where(eq(mutedMails.recipient, recipient))
  await tx.delete(unsubscribeLinks).where(eq(unsubscribeLinks.recipient, recipient))
}
