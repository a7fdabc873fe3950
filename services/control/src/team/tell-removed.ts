import { eq } from 'drizzle-orm'
import type { Transaction } from '../database/connect.ts'
import { users } from '../database/schema/users.ts'
import type { SeatRemoved } from '../mail/mail-content.ts'
import { queueMail } from '../mail/queue-mail.ts'
import { describePerson } from './describe-person.ts'

/** Queues the mail to a member whom the owner removed from the team, in the transaction that removes them. */
export async function tellRemoved(tx: Transaction, userId: string, teamId: string, at: Date): Promise<void> {
  const [owner] = await tx.select({ name: users.name, email: users.email }).from(users).where(eq(users.id, teamId))
  if (owner === undefined) throw new Error(`the team ${teamId} has no owner`)
  const data = { owner: describePerson(owner) } satisfies SeatRemoved
  await queueMail(tx, {
    ...{ accountId: userId, kind: 'account', at },
    notices: [{ type: 'seat.removed', data, at: at.toISOString() }]
  })
}
