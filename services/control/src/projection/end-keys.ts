import type { AuditAction } from '@tollgate/contracts/audit/audit-actions.ts'
import { changeOf, epochOf } from '@tollgate/contracts/records/version.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import { and, eq, inArray } from 'drizzle-orm'
import { byService, recordAudit } from '../audit/record-audit.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { isTokenId } from '../database/key-id.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { projection } from '../database/schema/projection.ts'
import { recordKeyRotated, recordKeysRevoked } from '../events/record-event.ts'
import { lockChanges, recordChange } from './record-change.ts'
import type { EndedKey } from './source.ts'

/** Few enough for a transaction of a fraction of a second: other changes wait for it. */
const keysPerTransaction = 100

/**
 * Revokes or rotates keys that are still as they were read, in the same epoch: another replica that has raised it has
 * done this work, and numbers may be used again. The audit log says that it happened after a restore.
 *
 * @returns the keys that it ended
 */
export async function endKeys(orm: Orm, ended: readonly EndedKey[]): Promise<EndedKey[]> {
  const done: EndedKey[] = []
  for (let from = 0; from < ended.length; from += keysPerTransaction) {
    const together = ended.slice(from, from + keysPerTransaction)
    const committed = await orm.transaction(async (tx) => {
      await lockChanges(tx)
      const [present] = await tx.select({ epoch: projection.epoch }).from(projection)
      const ofEpoch = together.filter(({ version }) => epochOf(version) === (present?.epoch ?? 0))
      const due = await findUnchanged(tx, ofEpoch)
      if (due.length === 0) return []
      const version = await recordChange(tx, due.flatMap(shardsOf))
      const changed: EndedKey[] = []
      for (const one of due) if (await endKey(tx, one, version)) changed.push(one)
      return changed
    })
    done.push(...committed)
  }
  return done
}

const shardsOf = ({ account, digest, ending }: EndedKey) => [
  accountShard(account),
  secretShard(digest),
  ...(ending.kind === 'rotated' ? [secretShard(ending.digest)] : [])
]

/** @returns the keys that are still as they were read. Under the lock, they stay so */
async function findUnchanged(tx: Transaction, ended: readonly EndedKey[]): Promise<EndedKey[]> {
  const rows = await tx
    .select({ id: keys.id, version: keys.version })
    .from(keys)
    .where(
      and(
        inArray(
          keys.id,
          ended.map(({ key }) => key)
        ),
        eq(keys.status, 'active')
      )
    )
  const versions = new Map(rows.map(({ id, version }) => [id, version]))
  return ended.filter(({ key, version }) => versions.get(key) === changeOf(version))
}

async function endKey(tx: Transaction, ended: EndedKey, version: number): Promise<boolean> {
  const { account, key: id, ending } = ended
  const by = byService()
  if (ending.kind === 'rotated' && (await wasReplaced(tx, id, ending.digest))) return false
  const [key] = await tx
    .update(keys)
    .set({ ...(ending.kind === 'revoked' ? { status: 'revoked', revokedAt: by.at } : newSecret(ending)), version })
    .where(eq(keys.id, id))
    .returning()
  const { label, scope } = key!
  if (ending.kind === 'rotated') {
    const { digest } = ended
    const diesAt = ending.previous?.digest === digest ? new Date(ending.previous.until) : by.at
    await tx
      .insert(formerSecrets)
      .values({
        digest,
        keyId: id,
        accountId: account,
        scope,
        secretShard: secretShard(digest),
        version,
        diesAt
      })
      .onConflictDoNothing()
  }
  if (isTokenId(id)) return true
  const action: AuditAction = `key.${ending.kind}`
  await recordAudit(tx, {
    accountId: account,
    ...by,
    action,
    subject: id,
    detail: { label, restored: true }
  })
  if (ending.kind === 'revoked') await recordKeysRevoked(tx, [key!], by.at)
  else await recordKeyRotated(tx, key!, key!.previousUntil, by.at)
  return true
}

/**
 * Whether PostgreSQL knows a secret as a former one of the key: then PostgreSQL is later than Redis, and the secret
 * stays ended.
 */
async function wasReplaced(tx: Transaction, id: string, digest: string): Promise<boolean> {
  return (await tx.$count(formerSecrets, and(eq(formerSecrets.digest, digest), eq(formerSecrets.keyId, id)))) > 0
}

function newSecret({ digest, previous }: Extract<EndedKey['ending'], { kind: 'rotated' }>) {
  return {
    digest,
    secretShard: secretShard(digest),
    // Only the digest of the new secret is known.
    prefix: '',
    previousDigest: previous?.digest ?? null,
    previousUntil: previous === null ? null : new Date(previous.until)
  }
}
