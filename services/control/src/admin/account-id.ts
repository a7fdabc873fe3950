import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The id of an account from a path. @throws ServiceError `not_found` for a text that is no id */
export function assertAccountId(id: string): string {
  if (!uuid.test(id)) throw new ServiceError('not_found')
  return id.toLowerCase()
}
