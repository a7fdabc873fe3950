import { type Static, Type } from 'typebox'
import {
  AccountId,
  Count,
  Cursor,
  closed,
  Instant,
  Month,
  NextCursor,
  PageLimit,
  SignedUsd,
  Usd
} from './adjustments.ts'

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
 * Why Redis and the ledger differ. `not_copied_yet`: usage of the last seconds is on its way to the ledger.
 * `not_seeded`: Redis has no counter for the account yet; gateways refuse its requests until control has written one.
 * `redis_has_more`: Redis has counted usage that the ledger lacks. `ledger_has_more`: Redis has lost usage that the
 * ledger has.
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

export const AdminReceiptsQuery = Type.Object(
  {
    /** Default: since the request log has all requests. */
    from: Type.Optional(Instant),
    cursor: Type.Optional(Cursor)
  },
  closed
)
export type AdminReceiptsQuery = Static<typeof AdminReceiptsQuery>

/**
 * Why receipts and the ledger differ. `not_copied_yet`: control has not copied all usage or receipts of this hour.
 * `receipts_missing`: the ledger has requests without a receipt. `receipts_more`: receipts have more than the ledger.
 */
export const ReceiptDifferenceReason = Type.Enum(['not_copied_yet', 'receipts_missing', 'receipts_more'])
export type ReceiptDifferenceReason = Static<typeof ReceiptDifferenceReason>

/** An account whose receipts of an hour, or of a folded day, differ from the ledger. */
export const ReceiptDifference = Type.Object({
  account_id: AccountId,
  from: Instant,
  to: Instant,
  ledger_requests: Type.Integer(),
  receipt_requests: Count,
  ledger_usd: SignedUsd,
  receipts_usd: SignedUsd,
  ledger_tokens: Type.Integer(),
  receipt_tokens: Count,
  reason: ReceiptDifferenceReason
})
export type ReceiptDifference = Static<typeof ReceiptDifference>

/** A part of the comparison: the hours up to the cursor. */
export const AdminReceiptsResponse = Type.Object({
  receipts: Type.Object({
    /** When the log began; null while it is empty. */
    started_at: Type.Union([Instant, Type.Null()]),
    from: Instant,
    to: Instant,
    /** Of these hours. */
    requests: Count,
    ledger_usd: SignedUsd,
    receipts_usd: SignedUsd,
    /**
     * Rows of the ledger that were counted late: in another hour than that of the admission. They belong to the hour of
     * the admission.
     */
    late_rows: Count,
    /** Days whose hours the ledger has folded: they are compared as a whole. */
    folded_days: Count,
    /** How many accounts differ in some hour. At most 100 of each hour are listed. */
    differing: Count,
    differences: Type.Array(ReceiptDifference),
    /** Receipts that Redis dropped since it has its data; null while Redis is unavailable. */
    dropped: Type.Union([Count, Type.Null()]),
    /** Receipts that could not be stored. */
    skipped: Count,
    /**
     * Sum of the operators' adjustments in the months of these hours. They are no requests, so they have no receipt.
     */
    adjustments_usd: SignedUsd
  }),
  next_cursor: NextCursor
})
export type AdminReceiptsResponse = Static<typeof AdminReceiptsResponse>
