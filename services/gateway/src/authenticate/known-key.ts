import type { PriceGroup } from '@tollgate/contracts/catalog/list-prices.ts'
import { planOf } from '@tollgate/contracts/records/budgets.ts'
import type { AccountRecord, KeyRecord, Pointer, WindowBudget } from '@tollgate/contracts/records/records.ts'
import type { Allowances, PreparedAdmission, WindowLimit } from '@tollgate/state/admission/admit.ts'
import type { PreparedAccount } from '@tollgate/state/wire/packed.ts'
import type { BodySender } from '../body/body-memory.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'

/** A record and its version in Redis; null if Redis has none. */
export type Versioned<Record> = { version: string; record: Record } | null

/** Limits, and why the account's budget may be smaller than its plan's. */
export interface AccountAllowances extends Allowances {
  /** Whose limit `accountBudgetNanos` is: the account owner's own budget, an operator's for the account, or the plan's. */
  accountBudgetOf: 'owner' | 'operator' | 'plan'
  /** Whether another account of the mailbox has the free budget. */
  isFreeBudgetElsewhere: boolean
  /** Whether its spend counts for the limit of all free accounts: see admission/free-offer.ts. */
  isOnFreeOffer: boolean
  /** Part of `adjusted`: what deleted accounts of the mailbox spent of the free budget. */
  spentBefore: Allowances['adjusted']
  /** The tokens that one request may have: the lowest of the rates of a minute. */
  mostTokens: number
  /** What `windows` count, in the same order: the budgets, then the limits of counts. */
  budgets: readonly JudgedBudget[]
  counts: readonly JudgedCount[]
}

/** A budget with a window, and whose it is. */
export interface JudgedBudget extends WindowBudget {
  readonly of: 'key' | 'account' | 'member'
}

/** A limit of a count, and whose requests it counts: those of the key, or the account's to free models. */
export interface JudgedCount extends WindowLimit {
  readonly of: 'key' | 'free-models'
  readonly counts: 'tokens' | 'running' | 'requests'
  /** null: those that run now. */
  readonly window: 'minute' | 'day' | null
}

/**
 * What this process remembers of a key. The pointer never changes. The records may be outdated: admission sends their
 * versions, and Redis decides only on the current ones.
 */
export interface KnownKey extends BodySender {
  readonly digest: string
  readonly pointer: Pointer
  readonly prepared: PreparedAccount
  keyRecord: Versioned<KeyRecord>
  accountRecord: Versioned<AccountRecord>
  /** The prepared question for Redis, while these records allow requests. */
  admission: KeyAdmission | null
  /** null if no recent request was refused. */
  refusals: Refusals | null
}

/** The plan of a key's account, as this process last read it; empty if it has not. */
export function lastPlanOf(key: KnownKey | null): string {
  return key === null || key.accountRecord === null ? '' : planOf(key.accountRecord.record)
}

/** Refused requests of a key within a minute. */
export interface Refusals {
  count: number
  perMinute: number
  endsAt: number
}

/** The question for Redis, prepared from the records of a key and a catalog. */
export interface KeyAdmission {
  readonly catalog: CatalogView
  readonly plan: string
  readonly priceGroup: PriceGroup | null
  readonly allowances: AccountAllowances
  readonly prepared: PreparedAdmission
  /** If a budget or a limit counts some models alone: the question for each model that was asked for. */
  readonly byModel: Map<string, KeyAdmission> | null
}
