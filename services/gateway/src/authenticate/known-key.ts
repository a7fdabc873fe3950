import type { AccountRecord, KeyRecord, Pointer } from '@tollgate/contracts/records/records.ts'
import type { Allowances, PreparedAdmission } from '@tollgate/state/admission/admit.ts'
import type { PreparedAccount } from '@tollgate/state/wire/prepared-account.ts'
import type { BodySender } from '../body/body-memory.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'

/** A record together with its version in Redis; null where Redis has none. */
export type Versioned<Record> = { version: string; record: Record } | null

/**
 * What this process remembers of a presented secret. The pointer never changes. The records may be old: admission names
 * their versions, and Redis refuses to decide on any but the current ones.
 */
export type KnownKey = BodySender & {
  readonly digest: string
  readonly pointer: Pointer
  readonly prepared: PreparedAccount
  key: Versioned<KeyRecord>
  account: Versioned<AccountRecord>
  /** What Redis is asked while these records are judged to allow a request. */
  admission: KeyAdmission | null
  /** null for a key whose requests are not refused. */
  refusals: Refusals | null
}

/** Refused requests of a key within a minute. */
export type Refusals = { count: number; perMinute: number; endsAt: number }

/** The question for Redis that goes with the records of a key and a catalog. */
export type KeyAdmission = {
  readonly catalog: CatalogView
  readonly allowances: Allowances
  readonly prepared: PreparedAdmission
}
