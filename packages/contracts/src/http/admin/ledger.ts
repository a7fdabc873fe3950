import { type Static, Type } from 'typebox'
import { AccountId, Count, Cursor, closed, Instant, Month, NextCursor, PageLimit, SignedUsd, Usd } from './common.ts'

export const AdminLedgerQuery = Type.Object(
  {
    /** Default: the present month, UTC. Redis has counters of the present month only. */
    month: Type.Optional(Month),
    /** Differences per answer, 1 to 100; default 50. */
    limit: Type.Optional(PageLimit),
    cursor: Type.Optional(Cursor)
  },
  closed
)
export type AdminLedgerQuery = Static<typeof AdminLedgerQuery>

/**
 * Why Redis and the ledger differ. `not_copied_yet`: usage of the last seconds is on its way to the ledger. `not_seeded`:
 * Redis has no counter for the account yet; gateways refuse its requests until control has written one. `redis_has_more`:
 * Redis has counted usage that the ledger lacks. `ledger_has_more`: Redis has lost usage that the ledger has.
 */
export const LedgerDifferenceReason = Type.Enum(['not_copied_yet', 'not_seeded', 'redis_has_more', 'ledger_has_more'])
export type LedgerDifferenceReason = Static<typeof LedgerDifferenceReason>

/** An account whose spend in Redis differs from the ledger. */
export const LedgerDifference = Type.Object({
  account_id: AccountId,
  /** Address of the owner; empty after the owner is deleted. */
  email: Type.String(),
  /** What Redis has counted; null without a counter. */
  counted_usd: Type.Union([Usd, Type.Null()]),
  /** What the ledger has. */
  ledger_usd: SignedUsd,
  /** Sum of the operators' adjustments. They count towards the cap, but are not usage. */
  adjustments_usd: SignedUsd,
  /** Redis minus the ledger. */
  difference_usd: SignedUsd,
  reason: LedgerDifferenceReason,
  /** Whether the difference goes away by itself within seconds. */
  is_normal: Type.Boolean(),
  /** What it means, and what to do. */
  explanation: Type.String()
})
export type LedgerDifference = Static<typeof LedgerDifference>

/** A part of the comparison: accounts up to the cursor. */
export const AdminLedger = Type.Object({
  month: Month,
  at: Instant,
  /** False for an earlier month: Redis has no counters of it, so there are only sums. */
  is_compared: Type.Boolean(),
  /** Of the accounts of this answer. */
  accounts: Count,
  ledger_usd: SignedUsd,
  adjustments_usd: SignedUsd,
  differences: Type.Array(LedgerDifference)
})
export type AdminLedger = Static<typeof AdminLedger>

export const AdminLedgerResponse = Type.Object({
  ledger: AdminLedger,
  has_more: Type.Boolean(),
  next_cursor: NextCursor
})
export type AdminLedgerResponse = Static<typeof AdminLedgerResponse>
