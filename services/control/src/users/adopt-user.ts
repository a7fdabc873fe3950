import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { nearest } from '@tollgate/service/config/unknown-variables.ts'
import { eq, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { ensurePersonalAccount, planByHand } from '../accounts/account-plan.ts'
import { claimMailbox } from '../accounts/free-budget.ts'
import { resumeAccount, suspendAccount } from '../accounts/suspensions.ts'
import { byService } from '../audit/record-audit.ts'
import { endSessions } from '../callers/sessions.ts'
import { isUnknownPlan } from '../catalog/plans.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { planWrites, users } from '../database/schema/users.ts'
import { foldCase } from '../http/fold-case.ts'
import type { Identity, IdentityUser } from '../identity/identity.ts'
import type { Mailboxes } from '../signup/mailbox.ts'
import { forgetProof } from './proof.ts'

/** The parts of control that adopt users. */
export interface AdoptionContext {
  readonly catalog: Catalog
  readonly mailboxes: Mailboxes
}

export interface Adoption {
  /** False for a user whom control has deleted: it stores nothing about them again. */
  readonly isOurs: boolean
  /** Whether the projector must project the account after the commit. */
  readonly isAccountChanged: boolean
  /** Whether the plan must be read again, because it may have been read before control wrote another. */
  readonly isPlanOld: boolean
}

interface AdoptionOptions {
  /** Asked for a user who is new; without it, only users whom control knows are adopted. */
  readonly needsApproval?: NeedsApproval
  /** The result of `readPlanMark` before the user was read at the provider. */
  readonly planMark?: string
}

/** Decides whether the account of a new user waits for an operator's approval. */
export type NeedsApproval = (tx: Transaction, address: string, now: Date) => Promise<boolean>

/**
 * Updates a user's rows from the identity provider: name, address, plan, and whether the account is suspended.
 * If the address differs from the proved one, every session ends.
 * Whoever is an operator needs no approval: a service has to have a first one.
 * The user's row is locked until the transaction ends. Locks that delay other changes come last.
 *
 * A plan that control wrote itself, and has replaced since the read, would look as if an operator had set it. So a plan
 * set by hand is taken only from a read that began after control's last write. After any other read the user is due.
 *
 * @param found the user at the provider; null if the provider has no such user
 */
export async function adoptUser(
  tx: Transaction,
  { catalog, mailboxes }: AdoptionContext,
  id: string,
  found: IdentityUser | null,
  now: Date,
  { needsApproval = async () => false, planMark }: AdoptionOptions = {}
): Promise<Adoption> {
  const [user] = await tx
    .select({ deletedAt: users.deletedAt, provedEmail: users.provedEmail, plan: users.plan })
    .from(users)
    .where(eq(users.id, id))
    .for('no key update')
  if (user?.deletedAt) return { isOurs: false, isAccountChanged: false, isPlanOld: false }
  if (found === null || found.isBanned) {
    if (user === undefined) return { isOurs: false, isAccountChanged: false, isPlanOld: false }
    await tx.update(users).set({ syncedAt: now }).where(eq(users.id, id))
    await endSessions(tx, id)
    const isAccountChanged = await suspendAccount(tx, id, 'identity', byService(now))
    return { isOurs: true, isAccountChanged, isPlanOld: false }
  }
  const isPlanOld = user !== undefined && found.plan !== user.plan && (await mayBeOld(tx, id, found.plan, planMark))
  const seen = isPlanOld ? { ...found, plan: user.plan } : found
  if (isPlanOld) {
    await tx
      .update(users)
      .set({ dueAt: sql`now()`, dueMarks: sql`${users.dueMarks} + 1` })
      .where(eq(users.id, id))
  }
  await syncUser(tx, seen, now)
  if (user !== undefined && user.provedEmail !== foldCase(seen.email)) {
    await forgetProof(tx, seen, now)
    await endSessions(tx, id)
  }
  const waits = user === undefined && !seen.isOperator && (await needsApproval(tx, seen.email, now))
  const isPlanChanged = await ensurePersonalAccount(tx, catalog, id, now, { waits })
  const isApproved = seen.isOperator && (await resumeAccount(tx, id, 'approval', byService(now)))
  const isResumed = await resumeAccount(tx, id, 'identity', byService(now))
  const isBudgetChanged = await claimMailbox(tx, mailboxes, id, seen.email)
  return { isOurs: true, isAccountChanged: isPlanChanged || isApproved || isResumed || isBudgetChanged, isPlanOld }
}

/**
 * Tells what control had written to a user's `app_metadata.plan`. Read this before the user, and give it to
 * {@link adoptUser}.
 */
export async function readPlanMark(orm: Orm, userId: string): Promise<string> {
  const [write] = await orm
    .select({ revision: planWrites.revision, ours: planWrites.ours })
    .from(planWrites)
    .where(eq(planWrites.userId, userId))
  return planMarkOf(write ?? null)
}

/**
 * A user as just read at the provider, with a mark for {@link adoptUser}. If their plan looks set by hand, they are read
 * once more, after the mark.
 *
 * @throws as `identity.findUser`
 */
export async function withPlanMark(
  orm: Orm,
  identity: Pick<Identity, 'findUser'>,
  read: IdentityUser
): Promise<{ readonly found: IdentityUser | null; readonly planMark: string }> {
  const [known] = await orm
    .select({ plan: users.plan, write: planWrites })
    .from(users)
    .leftJoin(planWrites, eq(planWrites.userId, users.id))
    .where(eq(users.id, read.id))
  const write = known?.write ?? null
  const isNew = write !== null && known?.plan !== read.plan && planByHand(read.plan, write.ours) !== null
  return { found: isNew ? await identity.findUser(read.id) : read, planMark: planMarkOf(write) }
}

export const planMarkOf = (write: Pick<typeof planWrites.$inferSelect, 'revision' | 'ours'> | null): string =>
  write === null ? '' : JSON.stringify([write.revision, write.ours])

/** Whether a plan looks set by hand, and control may have written another one since it was read. */
async function mayBeOld(tx: Transaction, userId: string, plan: string | null, mark?: string): Promise<boolean> {
  const [write] = await tx.select().from(planWrites).where(eq(planWrites.userId, userId))
  return write !== undefined && planByHand(plan, write.ours) !== null && mark !== planMarkOf(write)
}

/**
 * Stores the identity provider's data of a user. The row stays locked until the transaction ends, so only one
 * transaction per user changes the account and its plan at a time.
 */
export async function syncUser(tx: Transaction, user: IdentityUser, now: Date): Promise<void> {
  const { email, name, plan, isOperator, operatorRoles } = user
  const seen = { email, name, plan, isOperator, operatorRoles, syncedAt: now }
  await tx
    .insert(users)
    .values({ id: user.id, ...seen })
    .onConflictDoUpdate({ target: users.id, set: seen })
}

/** Logs an error if the plan that an operator set at the identity provider is not in the catalog. */
export function logUnknownPlan(
  log: Pick<FastifyBaseLogger, 'error'>,
  catalog: Catalog,
  { id, plan }: { id: string; plan: string | null }
): void {
  if (plan === null || !isUnknownPlan(catalog, plan)) return
  const meant = nearest(plan, Object.keys(catalog.plans))
  const question = meant === null ? '' : `. Did you mean ${meant}?`
  log.error({ userId: id, plan }, `app_metadata.plan is not in the catalog: the free plan applies${question}`)
}
