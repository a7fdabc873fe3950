import { createHash, hash } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RepeatableRequest } from '@tollgate/state/idempotency/idempotency.ts'
import type { PreparedAccount } from '@tollgate/state/wire/prepared-account.ts'

const maxKeyLength = 255

/** What decides the answer to a request. */
export interface AskedAnswer {
  /** The path of the route. */
  readonly endpoint: string
  /** The headers that the upstream gets: names and values, alternating. */
  readonly fields: readonly string[]
  /** The decoded body. */
  readonly body: Buffer
}

/**
 * A request with the header `Idempotency-Key`. All keys of an account share it.
 *
 * @param key the header
 * @throws ServiceError invalid_request if the key is empty or too long
 */
export function repeatableRequest(
  { account, shard }: PreparedAccount,
  key: string,
  { endpoint, fields, body }: AskedAnswer
): RepeatableRequest {
  if (key === '' || key.length > maxKeyLength) {
    throw new ServiceError('invalid_request', {
      message: `Idempotency-Key: must have 1 to ${maxKeyLength} characters. Send a random text, such as a UUID.`
    })
  }
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([endpoint, ...fields]))
    .update(body)
  return {
    account,
    shard,
    digest: hash('sha256', key, 'base64url'),
    fingerprint: fingerprint.digest('base64url')
  }
}
