import { setTimeout as delay } from 'node:timers/promises'
import type { StoredId } from '@tollgate/state/stored-ids/stored-ids.ts'

/** Together longer than a gateway takes to write the ids of an answer. */
const waitsMs = [10, 40, 150]

export type FindIds = (ids: readonly string[]) => Promise<Array<StoredId | null>>

/**
 * Finds the ids of an account. A gateway writes the ids of an answer while it sends it, so another gateway may be asked a moment
 * too early: it looks again for ids that the request needs.
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
  let found = await find(ids)
  for (const waitMs of waitsMs) {
    if (!found.some((one, index) => one === null && needed.has(ids[index]!))) return found
    await delay(waitMs)
    found = await find(ids)
  }
  return found
}
