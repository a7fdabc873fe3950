import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import { RedisAwayError, withoutCommand } from './redis-link.ts'
import type { HostPort } from './redis-url.ts'

/** How long to wait for more answers after the first one: a hung server must not delay the others. */
const maxFurtherWaitMs = 300
/** How long to wait for the first answer. */
const maxFirstWaitMs = 2000

/** Connections to Sentinels or to nodes of a cluster, for questions about the masters. */
export interface MasterQueries {
  /** The connections that are ready now. */
  ready(): Redis[]
  /** The last error of any connection. */
  lastError(): Error
  close(): void
}

/** @param onReady called when a connection becomes ready */
export function openMasterQueries(
  servers: readonly HostPort[],
  options: Pick<RedisOptions, 'username' | 'password' | 'tls' | 'connectionName'>,
  onReady: () => void
): MasterQueries {
  let lastError: Error = new RedisAwayError()
  const clients = servers.map((server) => {
    const client = new Redis({
      ...options,
      ...server,
      // The check would ask a Sentinel whether it is loading data.
      enableReadyCheck: false,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1000,
      socketTimeout: 1000,
      disconnectTimeout: 200,
      retryStrategy: (attempt) => Math.min(100 * attempt, 1000)
    })
    client.on('ready', onReady)
    client.on('error', (error) => {
      lastError = withoutCommand(error)
    })
    return client
  })
  return {
    ready: () => clients.filter(({ status }) => status === 'ready'),
    lastError: () => lastError,
    close() {
      for (const client of clients) client.disconnect()
    }
  }
}

/**
 * Asks all servers. Returns the answers that arrive soon after the first one.
 *
 * @throws the last error if no server answers
 */
export async function askAll<Answer>(
  clients: readonly Redis[],
  ask: (client: Redis) => Promise<Answer>
): Promise<Answer[]> {
  const ending = new AbortController()
  const first = Promise.withResolvers<void>()
  const soonAfter = first.promise.then(() => delay(maxFurtherWaitMs, undefined, { signal: ending.signal }))
  let failure: Error = new RedisAwayError()
  const answers: Answer[] = []
  const queries = clients.map((client) =>
    ask(client).then(
      (answer) => {
        answers.push(answer)
        first.resolve()
      },
      (error: Error) => {
        failure = withoutCommand(error)
      }
    )
  )
  await Promise.race([
    Promise.all(queries),
    soonAfter,
    delay(maxFirstWaitMs, undefined, { signal: ending.signal })
  ]).catch(() => undefined)
  ending.abort()
  if (answers.length === 0) throw failure
  return [...answers]
}

/** The view of one Sentinel. */
interface SentinelView {
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
