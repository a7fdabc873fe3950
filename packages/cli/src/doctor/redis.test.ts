import assert from 'node:assert/strict'
import { parseRedisUrl } from '@tollgate/state/link/redis-url.ts'
import { test } from 'tap'
import { judgeRedis, parseInfo, type RedisFacts, type RedisOutcome } from './redis.ts'

const info = 'redis_version:7.2.4\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\nconnected_slaves:0\r\n'
const master = (text = info, settings: Record<string, string> = {}, refused: string[] = []): RedisFacts => ({
  address: 'cache:6379',
  info: parseInfo(text),
  settings: new Map(Object.entries(settings)),
  refused
})
const facts = (...masters: RedisFacts[]): RedisOutcome => ({ kind: 'facts', masters, skewMs: 0 })
const failed = (message: string, code?: string): RedisOutcome => ({
  kind: 'failure',
  error: Object.assign(new Error(message), code !== undefined && { code })
})

const single = 'redis://127.0.0.1'
const sentinel = 'rediss+sentinel://a,b,c/main'
const cluster = 'rediss+cluster://a,b,c'
const replicas = (count: number) => info.replace('slaves:0', `slaves:${count}`)

const cases: Array<[name: string, outcome: RedisOutcome, url: string, codes: string[]]> = [
  ['a right server', facts(master()), single, []],
  ['an old server', facts(master(info.replace('7.2.4', '6.2.1'))), single, ['redis_too_old']],
  ['eviction, as CONFIG tells', facts(master(info, { 'maxmemory-policy': 'allkeys-lru' })), single, ['redis_eviction']],
  ['eviction, as INFO tells', facts(master(info.replace('noeviction', 'volatile-lru'))), single, ['redis_eviction']],
  [
    'no append-only file',
    facts(master(info.replace('aof_enabled:1', 'aof_enabled:0'))),
    single,
    ['redis_not_persistent']
  ],
  ['a full disk', facts(master(`${info}aof_last_write_status:err\r\n`)), single, ['redis_disk']],
  ['Sentinel with two replicas', facts(master(replicas(2), { 'min-replicas-to-write': '1' })), sentinel, []],
  ['Sentinel with one replica', facts(master(replicas(1))), sentinel, ['redis_replicas']],
  [
    'writes without replicas',
    facts(master(replicas(2), { 'min-replicas-to-write': '0' })),
    sentinel,
    ['redis_min_replicas']
  ],
  ['a cluster with a master alone', facts(master(replicas(1)), master()), cluster, ['redis_replicas']],
  ['refused commands', facts(master(info, {}, ['HDEL'])), single, ['redis_rights']],
  ['no TLS to another machine', facts(master()), 'redis://cache', ['redis_without_tls']],
  [
    'a wrong password',
    failed('WRONGPASS invalid username-password pair or user is disabled.'),
    single,
    ['redis_login_refused']
  ],
  ['no password', failed('NOAUTH Authentication required.'), single, ['redis_login_refused']],
  ['a replica', failed('The Redis at cache:6379 is a replica'), single, ['redis_is_replica']],
  [
    'an unknown master',
    failed('The Sentinels do not know the master that REDIS_URL names'),
    sentinel,
    ['redis_master_unknown']
  ],
  ['an unknown host', failed('getaddrinfo ENOTFOUND cache', 'ENOTFOUND'), single, ['redis_unreachable']],
  ['an absent file', failed('REDIS_URL: ssl_ca_certs: /ca.pem cannot be read (ENOENT)'), single, ['redis_tls_file']]
]

for (const [name, outcome, url, codes] of cases) {
  test(name, async () => {
    const results = judgeRedis(outcome, parseRedisUrl(url)).flatMap((one) => ('code' in one ? [one.code] : []))
    assert.deepEqual(results, codes)
  })
}
