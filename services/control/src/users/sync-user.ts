import type { Transaction } from '../database/connect.ts'
import { users } from '../database/schema/users.ts'
import type { IdentityUser } from '../identity/identity.ts'

/**
 * Stores the identity provider's data of a user. The row stays locked until the transaction ends, so only one transaction per
 * user changes the account and its plan at a time.
 */
export async function syncUser(tx: Transaction, user: IdentityUser, now: Date): Promise<void> {
  const { email, name, plan, isOperator, operatorRoles } = user
  const seen = { email, name, plan, isOperator, operatorRoles, syncedAt: now }
  await tx
    .insert(users)
    .values({ id: user.id, ...seen })
    .onConflictDoUpdate({ target: users.id, set: seen })
}
