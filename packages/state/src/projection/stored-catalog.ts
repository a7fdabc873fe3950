import { catalogName } from '../keyspace/names.ts'
import type { RedisLink } from '../link/redis-link.ts'

/** The content of `catalog` in Redis. `run` is the run id of the process for which control wrote it. */
export interface StoredCatalog {
  version: number
  run: string
  json: string
}

export async function putCatalog(link: RedisLink, catalog: StoredCatalog): Promise<void> {
  await link
    .nodeOf(catalogName)
    .client.hset(catalogName, { version: catalog.version, run: catalog.run, json: catalog.json })
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
