import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { makeCertificate } from '@tollgate/sandbox/redis/running-redis.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { test } from 'tap'
import { connectRedis, connectServer } from './connect-redis.ts'

const program = findRedisServer(process.env)
const options = { name: 'a-test', silenceTimeoutMs: 1000, onError: () => {} }
const password = 'pass word'
test('TLS and a password work, and only certificates of the given authority are trusted', async (t) => {
  if (!need(t, 'redis-server', program)) return
  const tls = makeCertificate(t.testdir())
  if (!need(t, 'openssl', tls)) return
  const server = await startRedis({ port: 0, program, password, tls })
  t.after(() => server.stop())
  const link = connectServer(server.url, options)
  t.after(() => link.close())
  await link.ready()
  await link.client.acl('SETUSER', 'app', 'on', '>p@ss', '~*', '&*', '+@all')
  const named = connectServer(server.url.replace(':pass%20word', 'app:p%40ss'), options)
  t.after(() => named.close())
  await named.ready()
  assert.equal(await named.client.acl('WHOAMI'), 'app')

  for (const [url, reason] of [
    [server.url.replace(/\?.*/, ''), /certificate/],
    [server.url.replace('pass%20word', 'wrong'), /WRONGPASS/]
  ] as const) {
    const failed = Promise.withResolvers<Error>()
    const refused = connectRedis(url, { ...options, onError: failed.resolve })
    t.after(() => refused.close())
    const error = await failed.promise
    assert.match(error.message, reason)
    assert.doesNotMatch(JSON.stringify(error) + error.stack, /wrong"|pass word/)
    assert.equal(refused.isReady(), false)
  }
})

test('an unreadable file of the URL is named at once', async () => {
  const url = 'rediss+cluster://:hunter2@localhost?ssl_ca_certs=/nowhere/ca.pem'
  assert.throws(() => connectRedis(url, options), { message: /^REDIS_URL: ssl_ca_certs: \/nowhere\/ca\.pem .*ENOENT/ })
})
