import { shownCounts } from '@tollgate/contracts/meters/meters.ts'
import type { Bucket } from '../sum-usage.ts'

/** A bucket of a report with 0 of every counter. */
export const emptyBucket = {
  start: '2026-05-05T00:00:00.000Z',
  ...Object.fromEntries(shownCounts.map((count) => [count, 0])),
  cost_usd: '0.00'
} as Bucket
