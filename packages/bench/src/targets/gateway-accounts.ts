import { digestSecret, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { type ProjectionWrite, putAll } from '@tollgate/state/projection/write-records.ts'

/** The number of accounts per batch, so that each shard gets some dozens. */
const pageSize = 10_000

/** The version of all records. */
export const accountsVersion = versionOf(0, 2)

/**
 * Writes accounts on the free plan with one key each.
 *
 * @returns the secrets of the keys
 */
export async function writeAccounts(link: RedisNode, count: number): Promise<string[]> {
  const secrets: string[] = []
  while (secrets.length < count) {
    const page = Array.from({ length: Math.min(pageSize, count - secrets.length) }, newAccount)
    await putAll(link, writesOf(page))
    for (const { secret } of page) secrets.push(secret)
  }
  return secrets
}

interface NewAccount {
  id: string
  shard: string
  secret: string
  digest: string
  key: string
}

function newAccount(): NewAccount {
  const [id, secret] = [crypto.randomUUID(), generateSecret('inference')]
  const digest = digestSecret(secret)
  return { id, shard: accountShard(id), secret, digest, key: `key_${digest.slice(0, 16)}` }
}

/** Sorts accounts by shard, which saves scripts. */
function writesOf(page: readonly NewAccount[]): ProjectionWrite[] {
  const inOrder = (shard: (account: NewAccount) => string) =>
    page.toSorted((one, other) => (shard(one) < shard(other) ? -1 : 1))
  return [
    ...inOrder(({ digest }) => secretShard(digest)).map(
      ({ id, digest, key }): ProjectionWrite => ({
        kind: 'pointer',
        digest,
        pointer: { key, account: id, scope: 'inference' },
        diedAt: null
      })
    ),
    ...inOrder(({ shard }) => shard).flatMap(({ id, digest, key }): ProjectionWrite[] => [
      {
        kind: 'account',
        account: id,
        version: versionOf(0, 1),
        record: { plan: 'free', status: 'active', ownCapNanos: null }
      },
      {
        kind: 'key',
        account: id,
        key,
        version: accountsVersion,
        record: {
          status: 'active',
          digest,
          previous: null,
          expiresAt: null,
          models: null,
          monthlyBudgetNanos: null,
          requestsPerMinute: null
        }
      }
    ])
  ]
}
