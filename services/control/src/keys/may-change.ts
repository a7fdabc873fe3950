import type { keys } from '../database/schema.ts'
import type { Principal } from './require-account.ts'

/** Whether somebody may change, rotate and revoke a key of their account: a seat of a team only those that it made. */
export const mayChange = (
  { role, userId }: Pick<Principal, 'role' | 'userId'>,
  key: Pick<typeof keys.$inferSelect, 'createdBy'>
): boolean => role !== 'seat' || key.createdBy === userId
