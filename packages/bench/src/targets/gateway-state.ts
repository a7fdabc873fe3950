import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { accountShards, allShards } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { putCatalog } from '@tollgate/state/projection/stored-catalog.ts'
import { verifyNow } from '@tollgate/state/testing/redis-content.ts'
import { accountsVersion, writeAccounts } from './gateway-accounts.ts'

/** The only model on sale. The upstream uses the same name. */
export const model = 'bench-model'

// Limits that no request reaches.
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
      limits: {
        requestsPerMinute: 1e9,
        burstRequests: 1e9,
        tokensPerMinute: 1e12,
        burstTokens: 1e12,
        concurrentRequests: 1e6
      },
      caps: { requestNanos: 1e12, monthlyNanos: 1e15 }
    }
  }
}

export interface GatewayState {
  /** A catalog with a plan `free`, which all accounts have. */
  catalog?: Catalog
  /** The number of accounts, with one key each. */
  accounts: number
}

/**
 * Fills an empty Redis as control's projection would: accounts, the catalog, and the markers that verify every shard.
 *
 * @returns the secrets of the keys
 */
export async function fillRedis(url: string, { catalog = benchCatalog, accounts }: GatewayState): Promise<string[]> {
  const link = connectServer(url, {
    name: 'tollgate-bench',
    silenceTimeoutMs: 5000,
    onError: () => {} // A failed command rejects.
  })
  try {
    await link.ready()
    // Accounts start with a spend of the current month.
    for (const shard of accountShards) await verifyNow(link, shard, 0, link.run())
    const secrets = await writeAccounts(link, accounts)
    const version = accountsVersion
    for (const shard of allShards) {
      const isVerified = await verifyNow(link, shard, version, link.run())
      if (!isVerified) throw new Error(`shard ${shard} could not be verified`)
    }
    await putCatalog(link, { version, run: link.run(), json: JSON.stringify(catalog) })
    return secrets
  } finally {
    await link.close()
  }
}
