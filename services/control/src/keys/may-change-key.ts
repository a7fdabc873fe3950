import type { Principal } from '../callers/principal.ts'
import type { keys } from '../database/schema/keys.ts'

/** Whether a caller may change, rotate and revoke a key of their account. A seat may change only keys that it created. */
export const mayChangeKey = (
  { role, userId }: Pick<Principal, 'role' | 'userId'>,
  key: Pick<typeof keys.$inferSelect, 'createdBy'>
): boolean => role !== 'seat' || key.createdBy === userId
