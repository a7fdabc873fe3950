import type { KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { keys } from './schema/keys.ts'

/** The status of a key for those who admit its requests. */
export const statusInForce = ({
  status,
  paused
}: Pick<typeof keys.$inferSelect, 'status' | 'paused'>): KeyRecord['status'] =>
  status === 'active' && paused ? 'paused' : status
