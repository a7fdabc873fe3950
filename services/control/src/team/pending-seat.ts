import { and, eq } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { members } from '../database/schema.ts'
import { findMade, idempotencyHash, remember } from '../keys/idempotency.ts'

/** A call that gave somebody a seat, or took one away. */
export type SeatCall = {
  /** Who called. */
  readonly userId: string
  /** The token of the accepted invitation; or whose seat was removed, and the account that the caller acts for. */
  readonly of: { readonly accepted: string } | { readonly removed: string; readonly actingFor: string }
}

/**
 * Remembers for 24 hours that a call was answered with `change_pending` although its change was committed. Who repeats
 * it finds the invitation or the seat gone, and is told by {@link isRepeated} whether the change is in force instead.
 *
 * @param teamId account of the team
 */
export async function rememberPending(orm: Orm, call: SeatCall, teamId: string, now: Date): Promise<void> {
  await remember(orm, call.userId, hashOf(call), teamId, now)
}

/** Whether a call repeats one whose change was committed and still holds. */
export async function isRepeated(orm: Orm, call: SeatCall, now: Date): Promise<boolean> {
  const teamId = await findMade(orm, call.userId, hashOf(call), now)
  if (teamId === null) return false
  const { of } = call
  if ('accepted' in of) return hasSeat(orm, call.userId, teamId)
  // Somebody who left may have taken another seat since, which they can give up too.
  return !(await hasSeat(orm, of.removed, of.actingFor))
}

const hasSeat = async (orm: Orm, userId: string, accountId: string): Promise<boolean> =>
  (await orm.$count(members, and(eq(members.userId, userId), eq(members.accountId, accountId)))) > 0

const hashOf = ({ of }: SeatCall): string =>
  'removed' in of ? idempotencyHash('remove a seat', of.removed) : idempotencyHash('accept an invitation', of.accepted)
