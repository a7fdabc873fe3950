import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Identity } from './identity/identity.ts'

/**
 * Runs what checks the password of somebody who is signed in.
 *
 * @param check gets the address as it is now: an operator may have changed it
 * @throws ServiceError `wrong_password` for `invalid_credentials` of `check`; `not_authenticated` if the user has gone
 */
export async function withOwnPassword<Result>(
  identity: Pick<Identity, 'findUser'>,
  id: string,
  limit: AbortSignal,
  check: (email: string) => Promise<Result>
): Promise<Result> {
  const user = await identity.findUser(id, limit)
  if (user === null) throw new ServiceError('not_authenticated')
  try {
    return await check(user.email)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_credentials') throw error
    throw new ServiceError('wrong_password', { cause: error })
  }
}
