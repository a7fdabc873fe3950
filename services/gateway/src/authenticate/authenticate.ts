import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { digestSecret, scopeOfSecret } from '@tollgate/contracts/keys/secret.ts'
import { findPointer } from '@tollgate/contracts/redis/read-pointer.ts'
import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import { GenerationalCache } from './generational-cache.ts'
import type { KnownKey } from './known-key.ts'

const knownKeysPerGeneration = 50_000
const unknownDigestsPerGeneration = 10_000
/** How long an unknown digest is refused without asking again: a key that is created meanwhile must soon work. */
const unknownForMs = 1000

/** Finds the key that a request presents. */
export type Authenticate = (authorization: string | undefined) => KnownKey | Promise<KnownKey>

/**
 * The answer is immediate for a key that was seen before, and for text that cannot be a key, which never reaches Redis.
 * Whether the key is still good is for admission to say.
 *
 * @throws ServiceError missing_api_key, invalid_api_key or state_unavailable (the returned promise rejects with it too)
 */
export function createAuthenticate(redis: RedisLink): Authenticate {
  const known = new GenerationalCache<KnownKey>(knownKeysPerGeneration)
  const unknownUntil = new GenerationalCache<number>(unknownDigestsPerGeneration)

  async function lookUp(digest: string): Promise<KnownKey> {
    let pointer: Awaited<ReturnType<typeof findPointer>>
    try {
      pointer = await findPointer(redis, digest)
    } catch (cause) {
      throw new ServiceError('state_unavailable', { cause })
    }
    if (pointer === 'unverified') throw new ServiceError('state_unavailable')
    if (pointer === 'unknown') {
      unknownUntil.set(digest, performance.now() + unknownForMs)
      throw new ServiceError('invalid_api_key')
    }
    const key: KnownKey = { digest, pointer, key: null, account: null }
    known.set(digest, key)
    return key
  }

  return (authorization) => {
    const secret = bearerToken(authorization)
    if (secret === null) throw new ServiceError('missing_api_key')
    // A management key is for the Keys API: here it is not valid.
    if (scopeOfSecret(secret) !== 'inference') throw new ServiceError('invalid_api_key')
    const digest = digestSecret(secret)
    const key = known.get(digest)
    if (key !== undefined) return key
    if ((unknownUntil.get(digest) ?? 0) > performance.now()) throw new ServiceError('invalid_api_key')
    return lookUp(digest)
  }
}

/** The token of an `Authorization: Bearer` header (RFC 6750; the scheme's case does not matter), or null. */
export function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined) return null
  const token = /^bearer +(\S+) *$/i.exec(authorization)
  return token === null ? null : token[1]!
}
