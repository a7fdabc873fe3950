import type { KeyRecord } from '@tollgate/contracts/records/records.ts'

/** The record of a key that may do what its account may. */
export const activeKey: KeyRecord = {
  status: 'active',
  digest: 'c'.repeat(64),
  previous: null,
  expiresAt: null,
  models: null,
  monthlyBudgetNanos: null,
  requestsPerMinute: null
}
