import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { digestSecret, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { budgetWindows } from '@tollgate/contracts/records/budget-windows.ts'
import type { WindowBudget } from '@tollgate/contracts/records/records.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { accountShard, accountShards, allShards, secretShard } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { putCatalog } from '@tollgate/state/projection/stored-catalog.ts'
import { type ProjectionWrite, putAll } from '@tollgate/state/projection/write-records.ts'
import { verifyNow } from '@tollgate/state/testing/redis-content.ts'

/** The number of accounts per batch, so that each shard gets some dozens. */
const pageSize = 10_000

/** The version of all records. */
const accountsVersion = versionOf(0, 2)

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
  /** The number of budgets with a window that count each request; none by default. */
  budgets?: number
}

/**
 * Fills an empty Redis as control's projection would: accounts, the catalog, and the markers that verify every shard.
 *
 * @returns the secrets of the keys
 */
export async function fillRedis(
  url: string,
  { catalog = benchCatalog, accounts, budgets = 0 }: GatewayState
): Promise<string[]> {
  const link = connectServer(url, {
    name: 'tollgate-bench',
    silenceTimeoutMs: 5000,
    onError: () => {} // A failed command rejects.
  })
  try {
    await link.ready()
    // Accounts start with a spend of the current month.
    for (const shard of accountShards) await verifyNow(link, shard, 0, link.run())
    const secrets = await writeAccounts(link, accounts, budgetsOf(budgets))
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

/**
 * Writes accounts on the free plan with one key each.
 *
 * @returns the secrets of the keys
 */
async function writeAccounts(link: RedisNode, count: number, budgets: Budgets): Promise<string[]> {
  const secrets: string[] = []
  while (secrets.length < count) {
    const page = Array.from({ length: Math.min(pageSize, count - secrets.length) }, newAccount)
    await putAll(link, writesOf(page, budgets))
    for (const { secret } of page) secrets.push(secret)
  }
  return secrets
}

interface Budgets {
  key: WindowBudget[]
  account: WindowBudget[]
}

/**
 * Budgets that no request reaches. Half of them are of the key and half of its account, and each four have one of each
 * window. A budget without a counter in Redis has spent nothing, so nothing else is written.
 *
 * @param count of the key and its account together
 */
function budgetsOf(count: number): Budgets {
  const budgets: Budgets = { key: [], account: [] }
  const { length } = budgetWindows
  for (let index = 0; index < count; index++) {
    const owner = (index + Math.floor(index / length)) % 2 === 0 ? 'key' : 'account'
    budgets[owner].push({ id: index + 1, window: budgetWindows[index % length]!, nanos: 1e15 })
  }
  return budgets
}

/** Without budgets, real records lack the member, too. */
const ofOwner = (budgets: WindowBudget[]) => (budgets.length === 0 ? {} : { budgets })

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
function writesOf(page: readonly NewAccount[], budgets: Budgets): ProjectionWrite[] {
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
        record: { plan: 'free', status: 'active', ownCapNanos: null, ...ofOwner(budgets.account) }
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
          requestsPerMinute: null,
          ...ofOwner(budgets.key)
        }
      }
    ])
  ]
}
