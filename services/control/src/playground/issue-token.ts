import { digestSecret, displayPrefix } from '@tollgate/contracts/keys/secret.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq, isNotNull } from 'drizzle-orm'
import { assertApproved } from '../accounts/approval.ts'
import type { Orm } from '../database/connect.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { newTokenId } from '../key-ids/key-id.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'

/** The name under which people see the usage of their playground. */
const label = 'Playground'

export interface TokenRequest {
  readonly accountId: string
  readonly userId: string
  /** Id of the session that asks. */
  readonly sessionId: string
  /** A secret for inference. Only its digest is stored. */
  readonly secret: string
  /** The present time, from {@link judgingTime}: the same clock decides when the token expires. */
  readonly now: Date
  readonly expiresAt: Date
  /** Control's present time. */
  readonly at: Date
}

/**
 * Gives a person a new token for the playground. For gateways it is the secret of a key; a person has one such key in an
 * account, so their usage keeps one name and the number of tokens stays small. The session's token before it works until its
 * own end, for other tabs. A token of another session of the same person stops at once: that session asks again.
 *
 * @returns the id of the key
 * @throws ServiceError `account_suspended` for an account that waits for approval
 */
export async function issueToken(orm: Orm, asked: TokenRequest): Promise<string> {
  const { accountId, userId, sessionId, secret, now, expiresAt, at } = asked
  const digest = digestSecret(secret)
  const own = { accountShard: accountShard(accountId), secretShard: secretShard(digest) }
  const fresh = { ...own, digest, prefix: displayPrefix(secret), sessionId, expiresAt }
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    await assertApproved(tx, accountId)
    const [present] = await tx
      .select()
      .from(keys)
      .where(
        and(
          eq(keys.accountId, accountId),
          eq(keys.createdBy, userId),
          eq(keys.status, 'active'),
          isNotNull(keys.sessionId)
        )
      )
    if (present === undefined) {
      const version = await recordChange(tx, [own.accountShard, own.secretShard])
      const id = newTokenId()
      const row = { id, accountId, createdBy: userId, label, scope: 'inference', status: 'active' } as const
      await tx.insert(keys).values({ ...row, ...fresh, version, createdAt: at })
      return id
    }
    const { id, scope } = present
    const version = await recordChange(tx, [own.accountShard, secretShard(present.digest), own.secretShard])
    const isLiving = present.sessionId === sessionId && present.expiresAt !== null && present.expiresAt > now
    const former = { digest: present.digest, keyId: id, accountId, scope, secretShard: present.secretShard }
    await tx.insert(formerSecrets).values({ ...former, version, diesAt: isLiving ? present.expiresAt! : now })
    const previous = {
      previousDigest: isLiving ? present.digest : null,
      previousUntil: isLiving ? present.expiresAt : null
    }
    await tx
      .update(keys)
      .set({ ...fresh, ...previous, version })
      .where(eq(keys.id, id))
    return id
  })
}
