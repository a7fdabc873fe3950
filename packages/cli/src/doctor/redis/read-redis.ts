import { randomUUID } from 'node:crypto'
import { accountName, accountShard, deadlinesName, pointerName } from '@tollgate/state/keyspace/names.ts'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import { type RedisLink, type RedisNode, readRedisTime, skewOf } from '@tollgate/state/link/redis-link.ts'
import { parseRedisUrl } from '@tollgate/state/link/redis-url.ts'
import { countAttempt } from '@tollgate/state/rate-limit/count-attempt.ts'
import { withTimeout } from '../network/with-timeout.ts'

/** A master. */
export interface RedisFacts {
  readonly address: string
  /** Fields of `INFO`. */
  readonly info: ReadonlyMap<string, string>
  /** Settings that `CONFIG GET` told; empty if the server or its access rules refuse that. */
  readonly settings: ReadonlyMap<string, string>
  /** Commands that the user of REDIS_URL may not run. */
  readonly refused: readonly string[]
}

export type RedisOutcome =
  | { readonly kind: 'facts'; readonly masters: readonly RedisFacts[]; readonly skewMs: number }
  /** The last reason, and all that the link reported. */
  | { readonly kind: 'failure'; readonly error: Error }

/** How long a link may still become ready after its first error, ms: one of several servers may be down. */
const graceMs = { single: 0, sentinel: 2000, cluster: 2000 } as const

/** Connects as the services do, and reads what the check needs. Never rejects. */
export async function readRedis(url: string, timeoutMs: number): Promise<RedisOutcome> {
  let lastError: Error | null = null
  let link: RedisLink | null = null
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const fail = (error: Error) => {
    // The link also reports a dangerous setting, which is no failure.
    if (error.message.startsWith('Redis may evict')) return
    if (lastError === null) setTimeout(() => failed.reject(error), graceMs[parseRedisUrl(url).form]).unref()
    lastError = error
  }
  try {
    link = connectRedis(url, { name: 'tollgate-doctor', silenceTimeoutMs: timeoutMs, onError: fail })
    await withTimeout(Promise.race([link.ready(), failed.promise]), timeoutMs)
    const nodes = link.nodes().filter((node) => node.isReady())
    const masters = await withTimeout(Promise.all(nodes.map(readNode)), timeoutMs)
    const refused = await withTimeout(tryCommands(link), timeoutMs)
    const skews = await withTimeout(
      Promise.all(nodes.map((node) => skewOf(() => readRedisTime(node), Date.now))),
      timeoutMs
    )
    const skewMs = skews.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one), 0)
    return { kind: 'facts', masters: masters.map((facts) => ({ ...facts, refused })), skewMs }
  } catch (error) {
    return { kind: 'failure', error: lastError ?? (error as Error) }
  } finally {
    void link?.close()
  }
}

async function readNode({ client }: RedisNode): Promise<Omit<RedisFacts, 'refused'>> {
  const { host = '', port = 0 } = client.options
  const [info, ...settings] = await Promise.all([
    client.info(),
    ...['appendonly', 'appendfsync', 'maxmemory-policy', 'min-replicas-to-write', 'save'].map((name) =>
      readSetting(client, name)
    )
  ])
  return { address: `${host}:${port}`, info: parseInfo(info), settings: new Map(settings.flat()) }
}

/** Managed servers often refuse `CONFIG`. */
async function readSetting(client: RedisNode['client'], name: string): Promise<Array<[string, string]>> {
  try {
    const [, value] = (await client.config('GET', name)) as string[]
    return value === undefined ? [] : [[name, value]]
  } catch {
    return []
  }
}

/** @param info the answer to `INFO` */
export function parseInfo(info: string): Map<string, string> {
  return new Map([...info.matchAll(/^([a-z_0-9]+):(.*?)\r?$/gm)].map(([, name, value]) => [name!, value!]))
}

/**
 * Runs harmless commands as the services do, under names of an account and a key that do not exist. One script counts an
 * attempt under a name of its own for a second.
 *
 * @returns the commands that the access rules refuse
 */
async function tryCommands(link: RedisLink): Promise<string[]> {
  const account = randomUUID()
  const digest = account.replaceAll('-', '').padEnd(64, '0')
  const node = (tag: string) => link.nodeOf(tag).client
  const shard = accountShard(account)
  const commands: Array<[name: string, run: () => Promise<unknown>]> = [
    ['scripts (EVAL with INCR and PEXPIRE)', () => countAttempt(link, `doctor:${account}`, 1000)],
    ['EVALSHA', () => node(shard).call('EVALSHA', '0'.repeat(40), 0).catch(unlessUnknownScript)],
    ['HMGET', () => node(shard).hmget(accountName(account), 'record')],
    ['HDEL', () => node(shard).hdel(accountName(account), 'record')],
    ['GET', () => node(`k${digest.slice(0, 2)}`).get(pointerName(digest))],
    ['DEL', () => node(`k${digest.slice(0, 2)}`).del(pointerName(digest))],
    ['ZREM', () => node(shard).zrem(deadlinesName(shard), account)],
    ['TIME', () => node(shard).time()]
  ]
  const refused = await Promise.all(commands.map(async ([name, run]) => ((await isRefused(run)) ? [name] : [])))
  return refused.flat()
}

/** The rules are checked before the script is looked up. @throws any other error */
function unlessUnknownScript(error: Error): void {
  if (!error.message.startsWith('NOSCRIPT')) throw error
}

async function isRefused(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run()
    return false
  } catch (error) {
    if (/\bNOPERM\b|ACL failure|permissions/.test((error as Error).message)) return true
    throw error
  }
}
