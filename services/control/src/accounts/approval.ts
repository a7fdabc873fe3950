import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { waitingAccountMessage } from '@tollgate/contracts/errors/table.ts'
import { eq } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts, type SuspensionReason } from '../database/schema/accounts.ts'
import { waitsForApproval } from '../database/suspensions.ts'

/*
 * With SIGNUP=approved, the account of a new user begins with the suspension `approval`, in the statement that creates it: see
 * personal-account.ts. It never comes back once an operator has removed it. While it is there, the gateways refuse the account, and
 * control gives it no key, no token of the playground, no checkout and no invitation. People can sign in, and join a team.
 */

/** @throws ServiceError `account_suspended` if the account waits for an operator's approval */
export async function assertApproved(orm: Orm, accountId: string): Promise<void> {
  const [account] = await orm
    .select({ suspensions: accounts.suspensions })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  if (account !== undefined) refuseWaiting(account.suspensions)
}

/** @throws ServiceError `account_suspended` if these are of an account that waits for an operator's approval */
export function refuseWaiting(suspensions: readonly SuspensionReason[]): void {
  if (waitsForApproval(suspensions)) throw new ServiceError('account_suspended', { message: waitingAccountMessage })
}
