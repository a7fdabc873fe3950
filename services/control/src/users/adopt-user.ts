import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { eq } from 'drizzle-orm'
import { ensurePersonalAccount } from '../accounts/personal-account.ts'
import { resumeAccount, suspendAccount } from '../accounts/suspend-account.ts'
import { byService } from '../audit/by.ts'
import { endSessions } from '../callers/sessions.ts'
import type { Transaction } from '../database/connect.ts'
import { users } from '../database/schema.ts'
import { foldCase } from '../http/fold-case.ts'
import type { IdentityUser } from '../identity/identity.ts'
import { addressHasChanged } from './proof.ts'
import { syncUser } from './sync-user.ts'

export type Adoption = {
  /** False for somebody whom we have deleted: nothing of theirs is written down again. */
  readonly isOurs: boolean
  /** Whether the projector should hear of the account after the commit. */
  readonly isAccountChanged: boolean
}

/**
 * Brings a user's rows to what the identity provider says of them: name, address, plan, and that they may be there at all.
 * With another address than the proved one, every session ends.
 * The user's row is locked until the transaction ends; what keeps other changes waiting comes last.
 *
 * @param seen null if the provider knows nobody by that id
 */
export async function adoptUser(
  tx: Transaction,
  catalog: Catalog,
  id: string,
  seen: IdentityUser | null,
  now: Date
): Promise<Adoption> {
  const [known] = await tx
    .select({ deletedAt: users.deletedAt, provedEmail: users.provedEmail })
    .from(users)
    .where(eq(users.id, id))
    .for('no key update')
  if (known?.deletedAt) return { isOurs: false, isAccountChanged: false }
  if (seen === null || seen.isBanned) {
    if (known === undefined) return { isOurs: false, isAccountChanged: false }
    await tx.update(users).set({ syncedAt: now }).where(eq(users.id, id))
    await endSessions(tx, id)
    return { isOurs: true, isAccountChanged: await suspendAccount(tx, id, 'identity', byService(now)) }
  }
  await syncUser(tx, seen, now)
  if (known !== undefined && known.provedEmail !== foldCase(seen.email)) {
    await addressHasChanged(tx, seen, now)
    await endSessions(tx, id)
  }
  const isPlanChanged = await ensurePersonalAccount(tx, catalog, id, now)
  const isResumed = await resumeAccount(tx, id, 'identity', byService(now))
  return { isOurs: true, isAccountChanged: isPlanChanged || isResumed }
}
