import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { digestSecret, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { allShards, monthNumber } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { putCatalog } from '@tollgate/state/projection/stored-catalog.ts'
import {
  type ProjectionWrite,
  putAccountRecord,
  putAll,
  putKeyRecord,
  putPointer
} from '@tollgate/state/projection/write-records.ts'
import { openSpends } from '@tollgate/state/spend/spend.ts'
import { verifyNow } from '@tollgate/state/testing/redis-content.ts'

export interface Key {
  id: string
  account: string
  secret: string
  record: KeyRecord
}

/** Accounts and keys in Redis, written as control writes them. */
export class Records {
  readonly link: RedisNode
  readonly #catalog: Catalog
  readonly #accounts = new Map<string, AccountRecord>()
  readonly #keys: Key[] = []
  #change = 0

  private constructor(link: RedisNode, catalog: Catalog) {
    this.link = link
    this.#catalog = catalog
  }

  /** Writes the catalog to an empty Redis, and marks all shards as verified. */
  static async open(url: string, catalog: Catalog): Promise<Records> {
    // A failed command throws, so connection errors need no handler.
    const link = connectServer(url, { name: 'tollgate-test-control', silenceTimeoutMs: 5000, onError: () => {} })
    await link.ready()
    const records = new Records(link, catalog)
    await records.verify()
    return records
  }

  /** Marks all shards of the current Redis process as verified. */
  async verify(): Promise<void> {
    const version = this.#nextVersion()
    const run = this.link.run()
    await Promise.all(allShards.map(async (shard) => verifyNow(this.link, shard, version, run)))
    await putCatalog(this.link, { version, run, json: JSON.stringify(this.#catalog) })
  }

  /** Writes all accounts and keys again, after Redis lost them. */
  async replay(): Promise<void> {
    for (const [account, record] of this.#accounts) {
      await putAccountRecord(this.link, account, this.#nextVersion(), record)
      // Control restores the spend from the ledger. Here it is zero.
      await openSpends(this.link, [account], monthNumber(new Date()))
    }
    await this.#putKeys(this.#keys)
  }

  /** Adds an account. @returns its id */
  async addAccount(record: Partial<AccountRecord> = {}): Promise<string> {
    const account = crypto.randomUUID()
    await this.changeAccount(account, record)
    return account
  }

  /** Changes an account. Resolves when Redis has the change. */
  async changeAccount(account: string, change: Partial<AccountRecord>): Promise<void> {
    const before = this.#accounts.get(account) ?? { plan: 'free', status: 'active', ownCapNanos: null }
    const record: AccountRecord = { ...before, ...change }
    this.#accounts.set(account, record)
    await putAccountRecord(this.link, account, this.#nextVersion(), record)
  }

  async addKey(account: string, record: Partial<KeyRecord> = {}): Promise<Key> {
    const [key] = await this.addKeys(account, 1, record)
    return key!
  }

  async addKeys(account: string, count: number, record: Partial<KeyRecord> = {}): Promise<Key[]> {
    const keys = Array.from({ length: count }, (): Key => {
      const secret = generateSecret('inference')
      const defaults: KeyRecord = {
        status: 'active',
        digest: digestSecret(secret),
        previous: null,
        expiresAt: null,
        models: null,
        monthlyBudgetNanos: null,
        requestsPerMinute: null
      }
      return { id: `key_${crypto.randomUUID().slice(0, 18)}`, account, secret, record: { ...defaults, ...record } }
    })
    this.#keys.push(...keys)
    await this.#putKeys(keys)
    return keys
  }

  /** Changes a key. Resolves when Redis has the change. */
  async changeKey(key: Key, change: Partial<KeyRecord>): Promise<void> {
    Object.assign(key.record, change)
    await putKeyRecord(this.link, key.account, key.id, this.#nextVersion(), key.record)
  }

  /** Gives a key a new secret without a grace period. @returns the new secret, once only it works */
  async rotate(key: Key): Promise<string> {
    const secret = generateSecret('inference')
    const digest = digestSecret(secret)
    await putPointer(this.link, digest, { key: key.id, account: key.account, scope: 'inference' })
    await this.changeKey(key, { digest })
    key.secret = secret
    return secret
  }

  close(): Promise<void> {
    return this.link.close()
  }

  async #putKeys(keys: readonly Key[]): Promise<void> {
    const pointers = keys.map(
      ({ id, account, record }): ProjectionWrite => ({
        kind: 'pointer',
        digest: record.digest,
        pointer: { key: id, account, scope: 'inference' },
        diedAt: null
      })
    )
    const written = keys.map(
      ({ id, account, record }): ProjectionWrite => ({
        kind: 'key',
        account,
        key: id,
        version: this.#nextVersion(),
        record
      })
    )
    await putAll(this.link, [...pointers, ...written])
  }

  #nextVersion(): number {
    return versionOf(0, ++this.#change)
  }
}
