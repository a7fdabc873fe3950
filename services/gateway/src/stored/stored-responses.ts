import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { BackgroundWrites } from '@tollgate/state/link/background-writes.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { findIds, forgetId, type IdOwner, rememberIds, type StoredId } from '@tollgate/state/stored-ids/stored-ids.ts'
import type { IssuedIds } from '../relay/issued-ids.ts'

/** Together longer than a gateway takes to write the ids of an answer. */
const waitsMs = [10, 40, 150]

export type FindIds = (ids: readonly string[]) => Promise<Array<StoredId | null>>

/**
 * Finds the ids of an account. A gateway writes the ids of an answer while it sends it, so another gateway may be asked
 * a moment too early: it looks again for ids that the request needs.
 *
 * @param needed those of the ids without which the request is refused
 * @returns in the order of the ids; null for an id that is not found
 * @throws what `find` throws
 */
export async function findSoon(
  find: FindIds,
  ids: readonly string[],
  needed: ReadonlySet<string>
): Promise<Array<StoredId | null>> {
  let stored = await find(ids)
  for (const waitMs of waitsMs) {
    if (!stored.some((one, index) => one === null && needed.has(ids[index]!))) return stored
    await delay(waitMs)
    stored = await find(ids)
  }
  return stored
}

/** The maximum tokens of a stored answer. */
export interface StoredTokens {
  /** Of its prompt and output: the whole conversation until then. */
  readonly total: number
  readonly output: number
}

/** Knows which stored responses and items belong to a key, and where they are. */
export interface StoredResponses {
  /**
   * Remembers an answer that an upstream stores for a key, as soon as Redis can.
   *
   * @param model its name in the catalog
   */
  remember(owner: IdOwner, place: { upstream: string; model: string }, issued: IssuedIds, tokens: StoredTokens): void
  /**
   * @returns in the order of the ids; null for an id of nobody or of another key.
   * @throws RedisAwayError, or ioredis' error
   */
  find(owner: IdOwner, ids: readonly string[]): Promise<Array<StoredId | null>>
  /** @throws RedisAwayError, or ioredis' error */
  forget(account: string, id: string): Promise<void>
  /** Makes no further attempts to remember ids. Resolves when no write is under way. */
  stop(): Promise<void>
}

/**
 * @param onError called once per outage when Redis rejects ids, but not while Redis is unreachable: that is reported
 *   elsewhere. Requests that name lost ids are refused
 */
export function createStoredResponses(redis: RedisLink, onError: (error: Error) => void): StoredResponses {
  const writes = new BackgroundWrites(onError)
  return {
    remember(owner, { upstream, model }, { answer, items }, { total, output }) {
      const source = hash('sha256', answer, 'base64url').slice(0, 11)
      const ofItems = items.map((id) => ({ id, upstream, tokens: output, source, model }))
      const ids = [{ id: answer, upstream, tokens: total, source, model }, ...ofItems]
      writes.start(async () => rememberIds(redis, owner, ids))
    },
    find: (owner, ids) => findIds(redis, owner, ids),
    forget: (account, id) => forgetId(redis, account, id),
    async stop() {
      await writes.stop()
    }
  }
}
