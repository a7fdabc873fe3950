import { randomUUID } from 'node:crypto'
import { accountName, accountShard, deadlinesName, pointerName } from '@tollgate/state/keyspace/names.ts'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import type { RedisLink, RedisNode } from '@tollgate/state/link/redis-link.ts'
import { readRedisTime, skewOf } from '@tollgate/state/link/redis-link.ts'
import { parseRedisUrl, type RedisAddress } from '@tollgate/state/link/redis-url.ts'
import { countAttempt } from '@tollgate/state/rate-limit/count-attempt.ts'
import { cureFailure, describeFailure, failureOf, isLoopback, withTimeout } from './network.ts'
import { type Checked, count, type Finding, type Result, resultsOf, skip } from './results.ts'
import type { Settings } from './settings.ts'

const { ok, error, warning } = resultsOf('Redis')
const minVersion = 7
const why = 'Gateways refuse every request without Redis.'

/** How long a link may still become ready after its first error, ms: one of several servers may be down. */
const graceMs = { single: 0, sentinel: 2000, cluster: 2000 } as const

export async function checkRedis({ control, areValid }: Settings, timeoutMs: number): Promise<Checked> {
  if (control === null || !areValid('REDIS_URL')) return skip('Redis', 'REDIS_URL')
  const outcome = await readRedis(control.redisUrl, timeoutMs)
  const clock = outcome.kind === 'facts' ? { name: 'Redis', skewMs: outcome.skewMs } : null
  return { results: judgeRedis(outcome, parseRedisUrl(control.redisUrl)), clock }
}

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
 * Runs harmless commands as the services do, under names of an account and a key that do not exist. One script counts
 * an attempt under a name of its own for a second.
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

export function judgeRedis(outcome: RedisOutcome, address: RedisAddress): Result[] {
  const results = outcome.kind === 'failure' ? [judgeFailure(outcome.error)] : judgeMasters(outcome.masters, address)
  return [...results, ...judgeTls(address)]
}

function judgeFailure(reason: Error): Finding {
  const { message } = reason
  if (/WRONGPASS|NOAUTH|invalid username-password|invalid password|AUTH .*called without any password/i.test(message)) {
    return error('redis_login_refused', {
      what: `Redis refuses the login of REDIS_URL: ${message}`,
      why,
      fix: 'Correct user and password in REDIS_URL: redis://:password@host, with reserved characters percent-encoded (@ is %40).'
    })
  }
  if (/is a replica/.test(message)) {
    return error('redis_is_replica', {
      what: `${message}.`,
      why: 'A replica takes no writes.',
      fix: 'Name the master in REDIS_URL, or use the form for Sentinel: deploy/redis/README.md'
    })
  }
  if (/Sentinels do not know the master/.test(message)) {
    return error('redis_master_unknown', {
      what: `${message}.`,
      why,
      fix: 'Correct the name after the hosts in REDIS_URL.'
    })
  }
  if (/NOPERM/.test(message)) {
    return error('redis_rights', { what: `Redis refuses a command: ${message}`, why, fix: 'ACL SETUSER … +@all ~* &*' })
  }
  if (/^REDIS_URL: /.test(message)) {
    return error('redis_tls_file', { what: `${message}.`, why, fix: 'Correct the path of the file in REDIS_URL.' })
  }
  const failure = failureOf(reason)
  return error('redis_unreachable', {
    what: describeFailure('Redis (REDIS_URL)', failure),
    why,
    fix: cureFailure('REDIS_URL', failure)
  })
}

function judgeMasters(masters: readonly RedisFacts[], address: RedisAddress): Result[] {
  const [first] = masters
  const version = first?.info.get('valkey_version') ?? first?.info.get('redis_version') ?? 'unknown'
  const findings = masters.flatMap((master) => [
    ...judgeVersion(master),
    ...judgeMemory(master),
    ...judgePersistence(master),
    ...judgeReplicas(master, address)
  ])
  return [
    ok(`Version ${version}, ${count(masters.length, 'master')}, ${address.form} form.`),
    ...findings,
    ...judgeRights(first)
  ]
}

function judgeVersion({ info, address }: RedisFacts): Finding[] {
  const version = info.get('redis_version') ?? ''
  const major = Number.parseInt(version, 10)
  if (Number.isNaN(major) || major >= minVersion) return []
  return [
    error('redis_too_old', {
      what: `The Redis at ${address} has version ${version}.`,
      why: 'The scripts of Tollgate need Redis or Valkey 7.0 or later.',
      fix: 'Upgrade Redis.'
    })
  ]
}

function judgeMemory({ info, settings, address }: RedisFacts): Finding[] {
  const policy = settings.get('maxmemory-policy') ?? info.get('maxmemory_policy') ?? 'noeviction'
  if (policy === 'noeviction') return []
  return [
    error('redis_eviction', {
      what: `The Redis at ${address} may remove keys: maxmemory-policy is ${policy}.`,
      why: 'Spend, reservations and revocations disappear when the memory is full. Caps are then exceeded.',
      fix: 'CONFIG SET maxmemory-policy noeviction, then CONFIG REWRITE (or set it in redis.conf).'
    })
  ]
}

/** The in-memory Redis of `npm start` reports nothing about files. */
function judgePersistence({ info, settings, address }: RedisFacts): Finding[] {
  const isAppending = settings.get('appendonly') === 'yes' || info.get('aof_enabled') === '1'
  if (!isAppending) {
    return [
      warning('redis_not_persistent', {
        what: `The Redis at ${address} writes no append-only file.`,
        why: 'After a restart of Redis, gateways refuse requests until control has restored all data. The last second of spend is lost.',
        fix: 'CONFIG SET appendonly yes, then CONFIG REWRITE (or set it in redis.conf).'
      })
    ]
  }
  const findings: Finding[] = []
  if (settings.get('appendfsync') === 'no') {
    findings.push(
      warning('redis_appendfsync_no', {
        what: `The Redis at ${address} leaves it to the system when to write its append-only file (appendfsync no).`,
        why: 'A power failure loses half a minute of spend.',
        fix: 'CONFIG SET appendfsync everysec, then CONFIG REWRITE.'
      })
    )
  }
  if (info.get('aof_last_write_status') === 'err' || info.get('aof_last_bgrewrite_status') === 'err') {
    findings.push(
      error('redis_disk', {
        what: `The Redis at ${address} cannot write its append-only file.`,
        why: 'Redis refuses writes, or loses them at the next restart.',
        fix: 'Make room on the disk of Redis, and look into its log.'
      })
    )
  }
  return findings
}

function judgeReplicas({ info, settings, address }: RedisFacts, { form }: RedisAddress): Finding[] {
  if (form === 'single') return []
  const replicas = Number(info.get('connected_slaves') ?? 0)
  const wanted = form === 'sentinel' ? 2 : 1
  if (replicas < wanted) {
    return [
      warning('redis_replicas', {
        what: `The Redis at ${address} has ${count(replicas, 'replica')}.`,
        why: `When this master fails, ${replicas === 0 ? 'nothing can take over' : 'the next master has no replica, and takes no writes'}.`,
        fix: `Start ${wanted - replicas} more (replicaof …): deploy/redis/README.md`
      })
    ]
  }
  if (form !== 'sentinel' || settings.get('min-replicas-to-write') !== '0') return []
  return [
    warning('redis_min_replicas', {
      what: `The Redis at ${address} also takes writes without its replicas (min-replicas-to-write 0).`,
      why: 'A master that is cut off can accept revoked keys until it is reachable again.',
      fix: 'CONFIG SET min-replicas-to-write 1 and CONFIG SET min-replicas-max-lag 3, on every server.'
    })
  ]
}

function judgeRights(master: RedisFacts | undefined): Finding[] {
  if (master === undefined || master.refused.length === 0) return []
  return [
    error('redis_rights', {
      what: `The user of REDIS_URL may not run ${master.refused.join(', ')}.`,
      why: 'Control and gateways run these commands and scripts for every request and change.',
      fix: 'ACL SETUSER <user> +@all -@dangerous +info +config|get ~* &*'
    })
  ]
}

function judgeTls(address: RedisAddress): Finding[] {
  const hosts =
    address.form === 'single' ? [address.server] : address.form === 'sentinel' ? address.sentinels : address.seeds
  const open = hosts.find(({ host }) => !isLoopback(host))
  if (address.tls !== null || open === undefined) return []
  return [
    warning('redis_without_tls', {
      what: `The connection to Redis at ${open.host} is not encrypted.`,
      why: 'Others in the network can read the password and change balances.',
      fix: 'Use TLS (rediss://…). In a private network that you trust, you may ignore this.'
    })
  ]
}
