import type { Transaction } from '../database/connect.ts'
import { users } from '../database/schema.ts'
import type { IdentityUser } from '../identity/identity.ts'

/**
 * Writes down what the identity provider says of a user. The row stays locked until the transaction ends, so everything
 * that follows from it (the account, its plan) is done by one transaction per user at a time.
 */
export async function syncUser(tx: Transaction, user: IdentityUser, now: Date): Promise<void> {
  const seen = { email: user.email, name: user.name, plan: user.plan, syncedAt: now }
  await tx
    .insert(users)
    .values({ id: user.id, ...seen })
    .onConflictDoUpdate({ target: users.id, set: seen })
}
