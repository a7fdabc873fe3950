import { lastUsesName } from '../keyspace/names.ts'
import type { RedisLink, RedisNode } from '../link/redis-link.ts'

/** When keys were last used, by key id: ms since the epoch, by the clock of the gateway that admitted the request. */
export type LastUses = ReadonlyMap<string, number>

/** Uses per call of the script: few enough to block Redis for less than half a millisecond. */
const batchSize = 100
/** About how many fields a step of the scan reads. */
const scanCount = 500

/**
 * Notes uses in Redis until control copies them. A later use stays.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time: some may be noted then, and all can be again
 */
export async function noteUses(link: RedisLink, uses: LastUses): Promise<void> {
  const node = nodeOfUses(link)
  await Promise.all(batchesOf(uses).map((batch) => node.client.tgNoteUses(lastUsesName, ...batch)))
}

/**
 * Reads all noted uses. Uses that are noted meanwhile may be missing.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readUses(link: RedisLink): Promise<Map<string, number>> {
  const node = nodeOfUses(link)
  const uses = new Map<string, number>()
  let cursor = '0'
  do {
    const [next, fields] = await node.client.hscan(lastUsesName, cursor, 'COUNT', scanCount)
    for (let index = 0; index < fields.length; index += 2) uses.set(fields[index]!, Number(fields[index + 1]))
    cursor = next
  } while (cursor !== '0')
  return uses
}

/**
 * Forgets exactly these uses. A later use of the same key stays.
 *
 * @param uses as they were read
 * @throws RedisAwayError, or ioredis' error if no answer comes in time: some may be forgotten then
 */
export async function forgetUses(link: RedisLink, uses: LastUses): Promise<void> {
  const node = nodeOfUses(link)
  await Promise.all(batchesOf(uses).map((batch) => node.client.tgForgetUses(lastUsesName, ...batch)))
}

/** @throws RedisAwayError */
function nodeOfUses(link: RedisLink): RedisNode {
  const node = link.nodeOf(lastUsesName)
  node.run()
  return node
}

/** Key ids and times in turn, as the scripts take them. */
function batchesOf(uses: LastUses): Array<Array<string | number>> {
  const batches: Array<Array<string | number>> = []
  let batch: Array<string | number> = []
  for (const [key, at] of uses) {
    if (batch.length === 0) batches.push(batch)
    batch.push(key, at)
    if (batch.length === 2 * batchSize) batch = []
  }
  return batches
}
