import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { nearest } from '@tollgate/service/config/unknown-variables.ts'
import { eq } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { ensurePersonalAccount } from '../accounts/account-plan.ts'
import { claimMailbox } from '../accounts/free-budget.ts'
import { resumeAccount, suspendAccount } from '../accounts/suspensions.ts'
import { byService } from '../audit/record-audit.ts'
import { endSessions } from '../callers/sessions.ts'
import { isUnknownPlan } from '../catalog/plans.ts'
import type { Transaction } from '../database/connect.ts'
import { users } from '../database/schema/users.ts'
import { foldCase } from '../http/fold-case.ts'
import type { IdentityUser } from '../identity/identity.ts'
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
}

/** Decides whether the account of a new user waits for an operator's approval. */
export type NeedsApproval = (tx: Transaction, address: string, now: Date) => Promise<boolean>

/**
 * Updates a user's rows from the identity provider: name, address, plan, and whether the account is suspended.
 * If the address differs from the proved one, every session ends.
 * Whoever is an operator needs no approval: a service has to have a first one.
 * The user's row is locked until the transaction ends. Locks that delay other changes come last.
 *
 * @param seen the user at the provider; null if the provider has no such user
 * @param needsApproval asked for a user who is new; without it, only users whom control knows are adopted
 */
export async function adoptUser(
  tx: Transaction,
  { catalog, mailboxes }: AdoptionContext,
  id: string,
  seen: IdentityUser | null,
  now: Date,
  needsApproval: NeedsApproval = async () => false
): Promise<Adoption> {
  const [user] = await tx
    .select({ deletedAt: users.deletedAt, provedEmail: users.provedEmail })
    .from(users)
    .where(eq(users.id, id))
    .for('no key update')
  if (user?.deletedAt) return { isOurs: false, isAccountChanged: false }
  if (seen === null || seen.isBanned) {
    if (user === undefined) return { isOurs: false, isAccountChanged: false }
    await tx.update(users).set({ syncedAt: now }).where(eq(users.id, id))
    await endSessions(tx, id)
    return { isOurs: true, isAccountChanged: await suspendAccount(tx, id, 'identity', byService(now)) }
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
  return { isOurs: true, isAccountChanged: isPlanChanged || isApproved || isResumed || isBudgetChanged }
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
