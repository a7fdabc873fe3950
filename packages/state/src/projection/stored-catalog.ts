import { catalogName, freeOfferName } from '../keyspace/names.ts'
import type { RedisLink } from '../link/redis-link.ts'

/** The content of `catalog` in Redis. `run` is the run id of the process for which control wrote it. */
export interface StoredCatalog {
  version: number
  run: string
  json: string
}

/** Stores a catalog. @returns false if Redis has a later one; then nothing changes */
export async function putCatalog(link: RedisLink, { version, run, json }: StoredCatalog): Promise<boolean> {
  return (await link.nodeOf(catalogName).client.tgPutCatalog(catalogName, version, run, json)) === 1
}

/** Version and run of the stored catalog, without its text; null if there is none. */
export async function readCatalogVersion(link: RedisLink): Promise<{ version: number; run: string } | null> {
  const [version, run] = await link.nodeOf(catalogName).client.hmget(catalogName, 'version', 'run')
  return version == null || run == null ? null : { version: Number(version), run }
}

export async function readCatalog(link: RedisLink): Promise<StoredCatalog | null> {
  const { version, run, json } = await link.nodeOf(catalogName).client.hgetall(catalogName)
  return version === undefined || run === undefined || json === undefined
    ? null
    : { version: Number(version), run, json }
}

/*
 * `free-offer` has the run id of the Redis process for which control wrote it, a bar, and until when gateways refuse
 * what free accounts have to pay for: ms since the epoch, 0 if they refuse nothing. After a restart from an old dump,
 * the run id is another one: then nobody knows, and gateways keep what they knew.
 */

/**
 * Says until when the free offer is closed.
 *
 * @param until ms since the epoch; 0: it is open
 * @returns whether Redis had another answer
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function putFreeClosing(link: RedisLink, until: number): Promise<boolean> {
  const node = link.nodeOf(freeOfferName)
  const value = `${node.run()}|${until}`
  return (await node.client.set(freeOfferName, value, 'GET')) !== value
}

/**
 * @returns ms since the epoch, 0 if it is open; null if control has not said it to this Redis process
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readFreeClosing(link: RedisLink): Promise<number | null> {
  const node = link.nodeOf(freeOfferName)
  const run = node.run()
  const [writtenFor, until] = ((await node.client.get(freeOfferName)) ?? '').split('|')
  return writtenFor === run && until !== undefined ? Number(until) : null
}
