import type { KeyRecord } from '@tollgate/contracts/records/records.ts'

/** The record of an active key without limits of its own. */
export const activeKey: KeyRecord = {
  status: 'active',
  digest: 'c'.repeat(64),
  previous: null,
  expiresAt: null,
  models: null,
  monthlyBudgetNanos: null,
  requestsPerMinute: null
}
