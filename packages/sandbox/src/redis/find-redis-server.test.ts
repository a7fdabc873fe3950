import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { findRedisServer } from './find-redis-server.ts'

/** A program that prints a version as the real ones do. */
const redis = (version: string) => `#!/bin/sh\necho "Redis server v=${version} sha=00000000:0 malloc=libc bits=64"\n`
const valkey = (version: string) => `#!/bin/sh\necho "Valkey server v=${version} sha=00000000:0 malloc=libc bits=64"\n`

/** Makes the files under `root` executable. */
function makeRunnable(root: string, ...paths: string[]): void {
  for (const path of paths) chmodSync(join(root, path), 0o755)
}

test('the first redis-server on PATH is found, with its version', async (t) => {
  const root = t.testdir({ empty: {}, a: { 'redis-server': redis('7.2.4') }, b: { 'redis-server': redis('8.0.0') } })
  makeRunnable(root, 'a/redis-server', 'b/redis-server')
  const PATH = `${root}/empty::relative:${root}/a:${root}/b`
  assert.deepEqual(findRedisServer({ PATH }), {
    kind: 'redis-server',
    path: join(root, 'a/redis-server'),
    version: '7.2.4'
  })
})

test('valkey-server is found if there is no redis-server', async (t) => {
  const root = t.testdir({ 'valkey-server': valkey('8.1.1') })
  makeRunnable(root, 'valkey-server')
  assert.deepEqual(findRedisServer({ PATH: root }), {
    kind: 'valkey-server',
    path: join(root, 'valkey-server'),
    version: '8.1.1'
  })
})

test('programs that are too old, print no version, fail or are not executable are skipped', async (t) => {
  const root = t.testdir({
    old: { 'redis-server': redis('6.2.14') },
    silent: { 'redis-server': '#!/bin/sh\n' },
    broken: { 'redis-server': '#!/bin/sh\nexit 3\n' },
    plain: { 'redis-server': redis('7.4.0') },
    folder: { 'redis-server': {} },
    good: { 'redis-server': redis('10.0.0') }
  })
  makeRunnable(root, 'old/redis-server', 'silent/redis-server', 'broken/redis-server', 'good/redis-server')
  const bad = ['old', 'silent', 'broken', 'plain', 'folder'].map((name) => `${root}/${name}`).join(':')
  assert.equal(findRedisServer({ PATH: bad }), null)
  assert.equal(findRedisServer({ PATH: `${bad}:${root}/good` })?.version, '10.0.0')
  assert.equal(findRedisServer({}), null)
})

test('REDIS_SERVER_PATH is used, or refused in an error that names it', async (t) => {
  const root = t.testdir({
    'valkey-server-8': valkey('8.0.0'),
    ancient: redis('5.0.3'),
    other: '#!/bin/sh\necho hello\n',
    'redis-server': redis('7.0.0')
  })
  makeRunnable(root, 'valkey-server-8', 'ancient', 'other', 'redis-server')
  const server = findRedisServer({ PATH: root, REDIS_SERVER_PATH: `${root}/valkey-server-8` })
  assert.equal(server?.kind, 'valkey-server')
  assert.equal(findRedisServer({ PATH: root, REDIS_SERVER_PATH: '' })?.path, join(root, 'redis-server'))
  for (const [path, reason] of [
    [`${root}/absent`, /not the absolute path/],
    ['redis-server', /not the absolute path/],
    [`${root}/ancient`, /version 5\.0\.3/],
    [`${root}/other`, /does not print its version/]
  ] as const) {
    assert.throws(
      () => findRedisServer({ PATH: root, REDIS_SERVER_PATH: path }),
      (error: Error) => error.message.startsWith('REDIS_SERVER_PATH: ') && reason.test(error.message)
    )
  }
})
