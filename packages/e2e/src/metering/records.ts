import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { digestSecret, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { monthNumber } from '@tollgate/state/keyspace/month.ts'
import { allShards } from '@tollgate/state/keyspace/names.ts'
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
import { stampNow } from '@tollgate/state/testing/marker.ts'

export type Key = { id: string; account: string; secret: string; record: KeyRecord }

/** What is in Redis of accounts and keys, written as control writes it. */
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

  /** Fills an empty Redis with a catalog, and vouches for it. */
  static async open(url: string, catalog: Catalog): Promise<Records> {
    // A command that fails says so itself.
    const link = connectServer(url, { name: 'tollgate-test-control', silenceLimitMs: 5000, onError: () => {} })
    await link.ready()
    const records = new Records(link, catalog)
    await records.vouch()
    return records
  }

  /** Tells the Redis process that runs now that it has everything. */
  async vouch(): Promise<void> {
    const version = this.#nextVersion()
    const run = this.link.run()
    await Promise.all(allShards.map(async (shard) => stampNow(this.link, shard, version, run)))
    await putCatalog(this.link, { version, run, json: JSON.stringify(this.#catalog) })
  }

  /** Writes all accounts and keys anew, for a Redis that has lost them. */
  async replay(): Promise<void> {
    for (const [account, record] of this.#accounts) {
      await putAccountRecord(this.link, account, this.#nextVersion(), record)
      // As control does with what the ledger has, which is nothing here.
      await openSpends(this.link, [account], monthNumber(new Date()))
    }
    await this.#putKeys(this.#keys)
  }

  /** @returns the id of a new account */
  async addAccount(record: Partial<AccountRecord> = {}): Promise<string> {
    const account = crypto.randomUUID()
    await this.changeAccount(account, record)
    return account
  }

  /** Resolves when Redis has the change. */
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
      const usual: KeyRecord = {
        status: 'active',
        digest: digestSecret(secret),
        previous: null,
        expiresAt: null,
        models: null,
        monthlyBudgetNanos: null,
        requestsPerMinute: null
      }
      return { id: `key_${crypto.randomUUID().slice(0, 18)}`, account, secret, record: { ...usual, ...record } }
    })
    this.#keys.push(...keys)
    await this.#putKeys(keys)
    return keys
  }

  /** Resolves when Redis has the change. */
  async changeKey(key: Key, change: Partial<KeyRecord>): Promise<void> {
    Object.assign(key.record, change)
    await putKeyRecord(this.link, key.account, key.id, this.#nextVersion(), key.record)
  }

  /** Gives a key a new secret, without grace for the old one. @returns the new one, once it is the only one that works */
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
