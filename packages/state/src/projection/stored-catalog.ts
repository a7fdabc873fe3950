import { catalogName } from '../keyspace/names.ts'
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
