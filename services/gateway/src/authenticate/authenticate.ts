import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { foreignKeyMessage, managementKeyMessage } from '@tollgate/contracts/errors/table.ts'
import { digestSecret, isSecretLength, type KeyScope, scopeOfSecret } from '@tollgate/contracts/keys/secret.ts'
import type { CounterSeries } from '@tollgate/service/metrics/fast-series.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { findPointer } from '@tollgate/state/projection/read-keys.ts'
import { prepareAccount } from '@tollgate/state/wire/packed.ts'
import { GenerationalCache } from './generational-cache.ts'
import type { KnownKey } from './known-key.ts'

/** A remembered key takes about 1.4 KB. */
const knownKeysPerGeneration = 140_000
const unknownDigestsPerGeneration = 10_000
/** How long an unknown digest is refused without another look-up. Short, because a new key must soon work. */
const unknownForMs = 1000

/** What an authenticator counts. */
export interface LookupCounts {
  /** Remembered keys. */
  readonly hits: Pick<CounterSeries, 'add'>
  /** Look-ups in Redis. */
  readonly misses: Pick<CounterSeries, 'add'>
  /** Called if Redis did not answer. */
  onRedisError(): void
}

/** Finds the keys of requests. Admission decides whether a key is still valid. */
export interface Authenticator {
  /** How many keys this process remembers. */
  readonly keyCount: number
  /**
   * @param secret null if the request presents none
   * @returns the key if this process remembers it, else null. Takes constant time for any text.
   */
  remembered(secret: string | null): KnownKey | null
  /**
   * Looks up a key that is not remembered. Text that cannot be a key never reaches Redis.
   *
   * @throws ServiceError missing_api_key, invalid_api_key or state_unavailable
   */
  lookUp(secret: string | null): Promise<KnownKey>
}

export function createAuthenticator(redis: RedisLink, counts: LookupCounts): Authenticator {
  const keys = new GenerationalCache<KnownKey>(knownKeysPerGeneration)
  const unknownUntil = new GenerationalCache<number>(unknownDigestsPerGeneration)

  async function lookUpDigest(digest: string): Promise<KnownKey> {
    let pointer: Awaited<ReturnType<typeof findPointer>>
    counts.misses.add(1)
    try {
      pointer = await findPointer(redis, digest)
    } catch (cause) {
      counts.onRedisError()
      throw new ServiceError('state_unavailable', { cause })
    }
    if (pointer === 'unverified') throw new ServiceError('state_unavailable')
    if (pointer === 'unknown') {
      unknownUntil.set(digest, performance.now() + unknownForMs)
      throw new ServiceError('invalid_api_key')
    }
    // Concurrent requests must share one object per key. Otherwise each object would get all of the key's limits.
    const other = keys.get(digest)
    if (other !== undefined) return other
    const prepared = prepareAccount(pointer.account)
    const key: KnownKey = {
      digest,
      pointer,
      prepared,
      keyRecord: null,
      accountRecord: null,
      admission: null,
      refusals: null,
      bodyBytes: 0
    }
    keys.set(digest, key)
    return key
  }

  return {
    get keyCount() {
      return keys.size
    },
    remembered(secret) {
      const key = secret !== null && isSecretLength(secret.length) ? keys.get(digestSecret(secret)) : undefined
      if (key === undefined) return null
      counts.hits.add(1)
      return key
    },
    async lookUp(secret) {
      if (secret === null) throw new ServiceError('missing_api_key')
      const scope = scopeOfSecret(secret)
      if (scope !== 'inference') throw noInferenceKey(secret, scope)
      const digest = digestSecret(secret)
      if ((unknownUntil.get(digest) ?? 0) > performance.now()) throw new ServiceError('invalid_api_key')
      return lookUpDigest(digest)
    }
  }
}

/** The error for a text that is not an inference key. It names the kind of key, if it has one. */
function noInferenceKey(secret: string, scope: KeyScope | null): ServiceError {
  if (scope === 'management') return new ServiceError('invalid_api_key', { message: managementKeyMessage })
  const isForeign = !/^tgm?_/.test(secret)
  return new ServiceError('invalid_api_key', isForeign ? { message: foreignKeyMessage } : {})
}
