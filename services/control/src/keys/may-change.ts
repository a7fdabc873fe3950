import type { Principal } from '../callers/principal.ts'
import type { keys } from '../database/schema.ts'

/** Whether somebody may change, rotate and revoke a key of their account: a seat of a team only those that it made. */
export const mayChange = (
  { role, userId }: Pick<Principal, 'role' | 'userId'>,
  key: Pick<typeof keys.$inferSelect, 'createdBy'>
): boolean => role !== 'seat' || key.createdBy === userId
