import { type Static, Type } from 'typebox'
import { described } from '../described.ts'
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
    month: described(
      'Default: the present month, UTC. Redis has counters of the present month only.',
      Type.Optional(Month)
    ),
    limit: described('Differences per answer, 1 to 100; default 50.', Type.Optional(PageLimit)),
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
  email: described('Address of the owner; empty after the owner is deleted.', Type.String()),
  counted_usd: described('What Redis has counted; null without a counter.', Type.Union([Usd, Type.Null()])),
  ledger_usd: described('What the ledger has.', SignedUsd),
  adjustments_usd: described(
    "Sum of the operators' adjustments. They count towards the cap, but are not usage.",
    SignedUsd
  ),
  difference_usd: described('Redis minus the ledger.', SignedUsd),
  reason: LedgerDifferenceReason,
  is_normal: described('Whether the difference goes away by itself within seconds.', Type.Boolean()),
  explanation: described('What it means, and what to do.', Type.String())
})
export type LedgerDifference = Static<typeof LedgerDifference>

/** A part of the comparison: accounts up to the cursor. */
export const AdminLedger = Type.Object({
  month: Month,
  at: Instant,
  is_compared: described(
    'False for an earlier month: Redis has no counters of it, so there are only sums.',
    Type.Boolean()
  ),
  accounts: described('Of the accounts of this answer.', Count),
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
    from: described('Default: since the request log has all requests.', Type.Optional(Instant)),
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
    started_at: described('When the log began; null while it is empty.', Type.Union([Instant, Type.Null()])),
    from: Instant,
    to: Instant,
    requests: described('Of these hours.', Count),
    ledger_usd: SignedUsd,
    receipts_usd: SignedUsd,
    late_rows: described(
      'Rows of the ledger that were counted late: in another hour than that of the admission. They belong to the hour of the admission.',
      Count
    ),
    folded_days: described('Days whose hours the ledger has folded: they are compared as a whole.', Count),
    differing: described('How many accounts differ in some hour. At most 100 of each hour are listed.', Count),
    differences: Type.Array(ReceiptDifference),
    dropped: described(
      'Receipts that Redis dropped since it has its data; null while Redis is unavailable.',
      Type.Union([Count, Type.Null()])
    ),
    skipped: described('Receipts that could not be stored.', Count),
    adjustments_usd: described(
      "Sum of the operators' adjustments in the months of these hours. They are no requests, so they have no receipt.",
      SignedUsd
    )
  }),
  next_cursor: NextCursor
})
export type AdminReceiptsResponse = Static<typeof AdminReceiptsResponse>
