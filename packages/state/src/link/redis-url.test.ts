import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { type Credentials, checkRedisUrl, type HostPort, parseRedisUrl, type RedisAddress } from './redis-url.ts'

const plain = { credentials: null, tls: null }
const tls = { caFile: null, client: null }

test('every form of URL is read, and gets its defaults', async () => {
  const cases: Array<[url: string, address: RedisAddress]> = [
    ['redis://localhost', { ...plain, form: 'single', server: { host: 'localhost', port: 6379 }, database: 0 }],
    ['redis://cache:6380/', { ...plain, form: 'single', server: { host: 'cache', port: 6380 }, database: 0 }],
    [
      'rediss://app:p%40ss@[::1]:6380/3?ssl_ca_certs=/etc/ca.pem',
      {
        form: 'single',
        server: { host: '::1', port: 6380 },
        database: 3,
        credentials: { username: 'app', password: 'p@ss' },
        tls: { ...tls, caFile: '/etc/ca.pem' }
      }
    ],
    [
      'redis+sentinel://s1,s2:26380/main',
      {
        ...plain,
        form: 'sentinel',
        sentinels: [
          { host: 's1', port: 26_379 },
          { host: 's2', port: 26_380 }
        ],
        sentinelCredentials: null,
        master: 'main',
        database: 0
      }
    ],
    [
      'rediss+sentinel://:data@s1/main/2?sentinel_password=watch&ssl_certfile=c.pem&ssl_keyfile=k.pem',
      {
        form: 'sentinel',
        sentinels: [{ host: 's1', port: 26_379 }],
        sentinelCredentials: { username: null, password: 'watch' },
        credentials: { username: null, password: 'data' },
        master: 'main',
        database: 2,
        tls: { caFile: null, client: { certFile: 'c.pem', keyFile: 'k.pem' } }
      }
    ],
    [
      'rediss+cluster://n1:7000,n2',
      {
        ...plain,
        tls,
        form: 'cluster',
        seeds: [
          { host: 'n1', port: 7000 },
          { host: 'n2', port: 6379 }
        ]
      }
    ]
  ]
  for (const [url, address] of cases) assert.deepEqual(parseRedisUrl(url), address, url)
})

test('the error for a bad URL names the variable and contains no part of the URL', async () => {
  const cases: Array<[url: string, reason: RegExp]> = [
    ['http://hunter2', /must begin with/],
    ['redis://', /every host/],
    ['redis://hunter2@host', /a user needs a password/],
    ['redis://user:@hunter2', /a password is empty/],
    ['redis://:hunter2@host:99999', /port/],
    ['redis://:hunter2@host/x', /database/],
    ['redis://:hunter2@one,two', /several hosts/],
    ['redis://:hunter2@host/0/1', /too many parts/],
    ['redis://:hunter2%@host', /%25/],
    ['redis://host?hunter2', /takes none/],
    ['redis://host?ssl_ca_certs=hunter2', /takes none/],
    ['rediss://host?ssl_certfile=hunter2', /set together/],
    ['rediss://host?ssl_ca_certs=hunter2&ssl_ca_certs=hunter2', /twice/],
    ['redis+sentinel://:hunter2@host', /\/master/],
    ['redis+sentinel://host/main?sentinel_username=hunter2', /password is empty/],
    ['redis+cluster://:hunter2@host/1', /only database 0/],
    ['redis+cluster://:hunter2@host,', /every host/],
    ['redis+other://hunter2', /must begin with/]
  ]
  for (const [url, reason] of cases) {
    const problem = checkRedisUrl({ REDIS_URL: url })
    assert.match(problem ?? '', /^REDIS_URL: /, url)
    assert.match(problem ?? '', reason, url)
    assert.doesNotMatch(problem ?? '', /hunter2/, url)
  }
  assert.equal(checkRedisUrl({ REDIS_URL: 'redis://localhost' }), null)
})

const text = fc.string({ minLength: 1, unit: 'grapheme' })
const credentials = fc.option(fc.record({ username: fc.option(text), password: text }))
const hosts = fc.array(
  fc.record({ host: fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6()), port: fc.integer({ min: 1, max: 65_535 }) }),
  { minLength: 1, maxLength: 4 }
)
const database = fc.nat({ max: 99 })
const anyTls = fc.option(
  fc.record({ caFile: fc.option(text), client: fc.option(fc.record({ certFile: text, keyFile: text })) })
)
const common = { credentials, tls: anyTls }
const addresses: fc.Arbitrary<RedisAddress> = fc.oneof(
  fc.record({ ...common, form: fc.constant('single' as const), server: hosts.map(([one]) => one!), database }),
  fc.record({
    ...common,
    form: fc.constant('sentinel' as const),
    sentinels: hosts,
    sentinelCredentials: credentials,
    master: text,
    database
  }),
  fc.record({ ...common, form: fc.constant('cluster' as const), seeds: hosts })
)

function write(address: RedisAddress): string {
  const { form, tls } = address
  const all = form === 'single' ? [address.server] : form === 'sentinel' ? address.sentinels : address.seeds
  const list = all.map(({ host, port }: HostPort) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',')
  const user = ({ username, password }: Credentials) => `${encode(username ?? '')}:${encode(password)}@`
  const sentinel = form === 'sentinel' ? address.sentinelCredentials : null
  const parameters = Object.entries({
    ssl_ca_certs: tls?.caFile,
    ssl_certfile: tls?.client?.certFile,
    ssl_keyfile: tls?.client?.keyFile,
    sentinel_username: sentinel?.username,
    sentinel_password: sentinel?.password
  }).flatMap(([name, value]) => (value == null ? [] : `${name}=${encode(value)}`))
  const path =
    form === 'cluster'
      ? ''
      : form === 'single'
        ? `/${address.database}`
        : `/${encode(address.master)}/${address.database}`
  const kind = form === 'single' ? '' : `+${form}`
  const start = `redis${tls === null ? '' : 's'}${kind}://${address.credentials === null ? '' : user(address.credentials)}`
  return `${start}${list}${path}?${parameters.join('&')}`
}

const encode = encodeURIComponent

test('an address that is written as a URL is read back', async () => {
  fc.assert(
    fc.property(addresses, (address) => assert.deepEqual(parseRedisUrl(write(address)), structuredClone(address)))
  )
})

test('any other text is either read or refused', async () => {
  const start = fc.constantFrom('', 'redis://', 'rediss+sentinel://', 'redis+cluster://h/')
  fc.assert(fc.property(start, fc.string(), (before, after) => void checkRedisUrl({ REDIS_URL: before + after })))
})
