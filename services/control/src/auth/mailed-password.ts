import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq } from 'drizzle-orm'
import type { By } from '../audit/by.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { forgetBrowsers } from '../callers/known-browser.ts'
import type { Transaction } from '../database/connect.ts'
import { keys, members } from '../database/schema.ts'
import { type RevokedKey, revokeKeys } from '../keys/revoke-keys.ts'
import type { Projector } from '../projection/projector.ts'
import { passwordWasSet } from './password-set.ts'

/** Keys whose revocation is awaited at once. */
const batch = 20

/**
 * What follows from a password that was set through a mailed link. Somebody else may have had the old one, so every
 * session ends and what they may have made stops working: management keys always, other keys if asked.
 *
 * Which keys: all of the user's own account, and as a seat of a team those that the user created there.
 *
 * @param isEveryKey whether inference keys are revoked too
 * @returns the keys that this revoked in the database; see {@link untilRevoked}
 */
export async function passwordWasMailed(
  tx: Transaction,
  userId: string,
  isEveryKey: boolean,
  by: By
): Promise<RevokedKey[]> {
  await passwordWasSet(tx, userId)
  await forgetBrowsers(tx, userId)
  const which = isEveryKey ? undefined : eq(keys.scope, 'management')
  const revoked = await revokeKeys(tx, userId, by.at, which)
  const [team] = await tx.select({ id: members.accountId }).from(members).where(eq(members.userId, userId))
  if (team !== undefined) {
    revoked.push(...(await revokeKeys(tx, team.id, by.at, and(eq(keys.createdBy, userId), which))))
  }
  const detail = { keys_revoked: revoked.length }
  await recordAudit(tx, { accountId: userId, ...by, action: 'auth.password_reset', detail })
  for (const { id, accountId, label } of revoked) {
    const detail = { label, by_password_reset: true }
    await recordAudit(tx, { accountId, ...by, action: 'key.revoked', subject: id, detail })
  }
  return revoked
}

/**
 * Waits until no gateway accepts the keys any more.
 *
 * @throws ServiceError `revocation_pending`, which also says that the password is set: its link cannot be used again
 */
export async function untilRevoked(
  projector: Pick<Projector, 'keyChanged'>,
  revoked: readonly RevokedKey[]
): Promise<void> {
  for (let from = 0; from < revoked.length; from += batch) {
    const some = revoked.slice(from, from + batch).map(({ accountId, id }) => projector.keyChanged(accountId, id))
    if (!(await Promise.all(some)).includes(false)) continue
    throw new ServiceError('revocation_pending', {
      message:
        'The new password is set and every session has ended. Keys are being revoked, but not everywhere yet: this completes by itself. Sign in with the new password.'
    })
  }
}
