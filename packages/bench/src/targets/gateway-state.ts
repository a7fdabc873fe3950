import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { accountShards, allShards } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { putCatalog } from '@tollgate/state/projection/stored-catalog.ts'
import { stampNow } from '@tollgate/state/testing/marker.ts'
import { accountsVersion, writeAccounts } from './gateway-accounts.ts'

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
  /** With a plan named `free`, which all accounts are on. */
  catalog?: Catalog
  /** How many, with one key each. */
  accounts: number
}

/**
 * Writes into an empty Redis what control's projection would: accounts, the catalog, and the markers that vouch for every
 * shard.
 *
 * @returns the secrets of the keys
 */
export async function fillRedis(url: string, { catalog = benchCatalog, accounts }: GatewayState): Promise<string[]> {
  const link = connectServer(url, {
    name: 'tollgate-bench',
    silenceLimitMs: 5000,
    onError: () => {} // A command that fails says so itself.
  })
  try {
    await link.ready()
    // Accounts begin with a spend in the month that is open.
    for (const shard of accountShards) await stampNow(link, shard, 0, link.run())
    const secrets = await writeAccounts(link, accounts)
    const version = accountsVersion
    for (const shard of allShards) {
      const isStamped = await stampNow(link, shard, version, link.run())
      if (!isStamped) throw new Error(`shard ${shard} could not be vouched for`)
    }
    await putCatalog(link, { version, run: link.run(), json: JSON.stringify(catalog) })
    return secrets
  } finally {
    await link.close()
  }
}
