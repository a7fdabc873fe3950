import type { RedisAddress } from '@tollgate/state/link/redis-url.ts'
import { cureFailure, describeFailure, failureOf } from '../network/failure.ts'
import { isLoopback } from '../network/hosts.ts'
import { count } from '../results/count.ts'
import { type Finding, type Result, resultsOf } from '../results/result.ts'
import type { RedisFacts, RedisOutcome } from './read-redis.ts'

const { ok, error, warning } = resultsOf('Redis')

const minVersion = 7
const why = 'Gateways refuse every request without Redis.'

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
