import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { digestSecret, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { allShards } from '@tollgate/contracts/keyspace/names.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { claimShard, putAll, putCatalog, stampShard } from '@tollgate/contracts/redis/project.ts'
import { connectRedis } from '@tollgate/contracts/redis/redis-link.ts'

/** The one model on sale; the upstream knows it by the same name. */
export const model = 'bench-model'

// Generous in everything, so that no limit is ever the reason of an answer.
const benchCatalog: Catalog = {
  models: {
    [model]: {
      kind: 'chat',
      ownedBy: 'bench',
      created: 1_790_000_000,
      route: [{ upstream: 'bench', model, priority: 0, weight: 1 }],
      prices: { inputPicos: 75_000, cachedInputPicos: 7_500, outputPicos: 300_000 },
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
      defaultOutputTokens: 1000,
      fewestOutputTokens: 16,
      outputParameter: 'max_tokens',
      imageTokens: 1105,
      tokenizer: null
    }
  },
  plans: {
    free: {
      name: 'Bench',
      entitlements: [],
      keyQuota: null,
      seats: null,
      models: [model],
      limits: { requestsPerMinute: 1e9, tokensPerMinute: 1e12, concurrentRequests: 1e6 },
      caps: { requestNanos: 1e12, monthlyNanos: 1e15 }
    }
  }
}

/**
 * Writes into an empty Redis what control's projection would: one account with one key, the catalog, and the markers
 * that vouch for every shard.
 *
 * @param catalog with a plan named `free`, which the account is on
 * @returns the secret of the key
 */
export async function fillRedis(url: string, catalog = benchCatalog): Promise<string> {
  const link = connectRedis(url, {
    name: 'tollgate-bench',
    silenceLimitMs: 5000,
    onError: () => {} // A command that fails says so itself.
  })
  try {
    await link.ready()
    const secret = generateSecret('inference')
    const digest = digestSecret(secret)
    const [account, key] = [crypto.randomUUID(), 'key_bench']
    const version = versionOf(0, 2)
    await putAll(link, [
      { kind: 'pointer', digest, pointer: { key, account, scope: 'inference' }, diedAt: null },
      {
        kind: 'account',
        account,
        version: versionOf(0, 1),
        record: { plan: 'free', status: 'active', ownCapNanos: null }
      },
      {
        kind: 'key',
        account,
        key,
        version,
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
    for (const shard of allShards) {
      const isStamped = await stampShard(link, await claimShard(link, shard, 'bench'), version, link.run())
      if (!isStamped) throw new Error(`shard ${shard} could not be vouched for`)
    }
    await putCatalog(link, { version, run: link.run(), json: JSON.stringify(catalog) })
    return secret
  } finally {
    await link.close()
  }
}
