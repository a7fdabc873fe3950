import { digestSecret, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { putAccountRecord, putKeyRecord, putPointer } from '@tollgate/state/projection/write-records.ts'

export interface SeededKey {
  secret: string
  digest: string
  id: string
  account: string
  record: KeyRecord
}

/** Writes keys and accounts as control does. */
export interface TestKeys {
  /** @param options.beside another key of the same account; default: a new account */
  seedKey(options?: {
    key?: Partial<KeyRecord>
    account?: Partial<AccountRecord>
    beside?: SeededKey
  }): Promise<SeededKey>
  /** Gives a key another secret. The former one works for an hour more. */
  rotateKey(seeded: SeededKey): Promise<SeededKey>
  /** Writes a later version of a key or of its account. */
  changeKey(seeded: SeededKey, change: Partial<KeyRecord>): Promise<void>
  changeAccount(seeded: SeededKey, record: Partial<AccountRecord>): Promise<void>
}

/** Gateways may share a Redis, which ignores a new record that is older than its verified version. */
let change = 0
export const nextVersion = () => versionOf(0, ++change)

/** @param control the test's own connection */
export function createTestKeys(control: RedisNode): TestKeys {
  return {
    async seedKey(options = {}) {
      // A test before may have stopped Redis for a while.
      await control.ready()
      const secret = generateSecret('inference')
      const digest = digestSecret(secret)
      const seeded: SeededKey = {
        secret,
        digest,
        id: `key_${digest.slice(0, 12)}`,
        account: options.beside?.account ?? crypto.randomUUID(),
        record: {
          status: 'active',
          digest,
          previous: null,
          expiresAt: null,
          models: null,
          monthlyBudgetNanos: null,
          requestsPerMinute: null,
          ...options.key
        }
      }
      await putPointer(control, digest, { key: seeded.id, account: seeded.account, scope: 'inference' })
      await putAccountRecord(control, seeded.account, nextVersion(), {
        plan: 'free',
        status: 'active',
        ownCapNanos: null,
        ...options.account
      })
      await putKeyRecord(control, seeded.account, seeded.id, nextVersion(), seeded.record)
      return seeded
    },
    async rotateKey(seeded) {
      const secret = generateSecret('inference')
      const digest = digestSecret(secret)
      const until = Date.now() + 3_600_000
      const record = { ...seeded.record, digest, previous: { digest: seeded.digest, until } }
      const { id, account } = seeded
      await putPointer(control, digest, { key: id, account, scope: 'inference' })
      await putKeyRecord(control, account, id, nextVersion(), record)
      return { ...seeded, secret, digest, record }
    },
    async changeKey(seeded, changes) {
      Object.assign(seeded.record, changes)
      await putKeyRecord(control, seeded.account, seeded.id, nextVersion(), seeded.record)
    },
    async changeAccount(seeded, record) {
      await putAccountRecord(control, seeded.account, nextVersion(), {
        plan: 'free',
        status: 'active',
        ownCapNanos: null,
        ...record
      })
    }
  }
}
