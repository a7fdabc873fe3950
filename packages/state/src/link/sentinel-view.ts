import type { HostPort } from './redis-url.ts'

/** The view of one Sentinel. */
export interface SentinelView {
  /** The address of the master. */
  master: HostPort
  /** The epoch of the last failover that the Sentinel knows. Each failover has a higher one. */
  epoch: number
}

/**
 * @param address the answer to `SENTINEL GET-MASTER-ADDR-BY-NAME`, which names a new master at once
 * @param fields the answer to `SENTINEL MASTER`: names and values in turn
 * @returns null if the Sentinel does not know this master
 */
export function readSentinelView(address: unknown, fields: unknown): SentinelView | null {
  if (!Array.isArray(address) || !Array.isArray(fields)) return null
  const [host, port] = address.map(String)
  const epoch = Number(fields[fields.indexOf('config-epoch') + 1])
  if (host === undefined || port === undefined || !Number.isSafeInteger(epoch)) return null
  return { master: { host, port: Number(port) }, epoch }
}

/** The master of the last failover. A Sentinel that was cut off may still name the master before it. */
export function chooseMaster(views: readonly SentinelView[]): HostPort | null {
  const latest = views.reduce<SentinelView | null>(
    (best, view) => (best === null || view.epoch > best.epoch ? view : best),
    null
  )
  return latest?.master ?? null
}
