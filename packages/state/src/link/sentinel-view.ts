import type { HostPort } from './redis-url.ts'

/** What one Sentinel says. */
export type SentinelView = {
  /** Where it takes the master to be. */
  master: HostPort
  /** Of the last failover that it knows of: each has a higher one. */
  epoch: number
}

/**
 * @param address the answer to `SENTINEL GET-MASTER-ADDR-BY-NAME`, which names the new master as soon as there is one
 * @param fields the answer to `SENTINEL MASTER`: names and values by turns
 * @returns null if the Sentinel does not know such a master
 */
export function readSentinelView(address: unknown, fields: unknown): SentinelView | null {
  if (!Array.isArray(address) || !Array.isArray(fields)) return null
  const [host, port] = address.map(String)
  const epoch = Number(fields[fields.indexOf('config-epoch') + 1])
  if (host === undefined || port === undefined || !Number.isSafeInteger(epoch)) return null
  return { master: { host, port: Number(port) }, epoch }
}

/** The master that the last failover has made: a Sentinel that was cut off meanwhile still names the one before. */
export function chooseMaster(views: readonly SentinelView[]): HostPort | null {
  const latest = views.reduce<SentinelView | null>(
    (best, view) => (best === null || view.epoch > best.epoch ? view : best),
    null
  )
  return latest?.master ?? null
}
