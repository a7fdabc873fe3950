import { createHash, hash } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RepeatableRequest } from '@tollgate/state/idempotency/idempotency.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import { answerKey } from './kept-answer.ts'

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

/** A request that may be repeated, with the key that encrypts its answer. */
export interface SealedRequest extends RepeatableRequest {
  /** Only in memory. */
  readonly answerKey: Buffer
}

/**
 * Names what became of a request.
 *
 * @param apiKey the id of the API key: its `Idempotency-Key`s are its own, also after a rotation
 * @param key the header
 */
export const claimDigest = (apiKey: string, key: string): string => hash('sha256', `${apiKey} ${key}`, 'base64url')

/**
 * A request with the header `Idempotency-Key`.
 *
 * @param secret the API key of the request
 * @param key the header
 * @throws ServiceError invalid_request if the key is empty or too long
 */
export function repeatableRequest(
  { pointer, prepared: { account, shard } }: Pick<KnownKey, 'pointer' | 'prepared'>,
  secret: string,
  key: string,
  { endpoint, fields, body }: AskedAnswer
): SealedRequest {
  if (key === '' || key.length > maxKeyLength) {
    throw new ServiceError('invalid_request', {
      message: `Idempotency-Key: must have 1 to ${maxKeyLength} characters. Send a random text, such as a UUID.`
    })
  }
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([endpoint, ...fields]))
    .update(body)
  const digest = claimDigest(pointer.key, key)
  return { account, shard, digest, fingerprint: fingerprint.digest('base64url'), answerKey: answerKey(secret, digest) }
}
