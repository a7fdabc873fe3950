import { and, eq } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { members } from '../database/schema/team.ts'
import { findMade, idempotencyHash, remember } from '../keys/idempotency.ts'

/** A call that gave a user a seat, or removed one. */
export interface SeatCall {
  /** The caller. */
  readonly userId: string
  /** Either the token of the accepted invitation, or the user whose seat was removed and the caller's account. */
  readonly of: { readonly accepted: string } | { readonly removed: string; readonly actingFor: string }
}

/**
 * Remembers for 24 hours that a call got `change_pending` although its change was committed. A repeated call finds no
 * invitation or seat; {@link isRepeated} tells it that the change was made.
 *
 * @param teamId account of the team
 */
export async function rememberPending(orm: Orm, call: SeatCall, teamId: string, now: Date): Promise<void> {
  await remember(orm, call.userId, hashOf(call), teamId, now)
}

/** Whether a call repeats one whose committed change still applies. */
export async function isRepeated(orm: Orm, call: SeatCall, now: Date): Promise<boolean> {
  const teamId = await findMade(orm, call.userId, hashOf(call), now)
  if (teamId === null) return false
  const { of } = call
  if ('accepted' in of) return hasSeat(orm, call.userId, teamId)
  // A user who left may since have taken a seat again, and may leave it too.
  return !(await hasSeat(orm, of.removed, of.actingFor))
}

const hasSeat = async (orm: Orm, userId: string, accountId: string): Promise<boolean> =>
  (await orm.$count(members, and(eq(members.userId, userId), eq(members.accountId, accountId)))) > 0

const hashOf = ({ of }: SeatCall): string =>
  'removed' in of ? idempotencyHash('remove a seat', of.removed) : idempotencyHash('accept an invitation', of.accepted)
