import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Identity } from '../identity/identity.ts'

/**
 * Runs a check of a signed-in user's password.
 *
 * @param check gets the current address: an operator may have changed it
 * @throws ServiceError `wrong_password` if `check` throws `invalid_credentials`; `not_authenticated` if the user no longer
 * exists
 */
export async function withOwnPassword<Result>(
  identity: Pick<Identity, 'findUser'>,
  id: string,
  deadline: AbortSignal,
  check: (email: string) => Promise<Result>
): Promise<Result> {
  const user = await identity.findUser(id, deadline)
  if (user === null) throw new ServiceError('not_authenticated')
  try {
    return await check(user.email)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_credentials') throw error
    throw new ServiceError('wrong_password', { cause: error })
  }
}
