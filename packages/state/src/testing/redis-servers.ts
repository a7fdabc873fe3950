import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { testsAll } from '@tollgate/sandbox/property-runs.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { type Test, test } from 'tap'
import { connectServer } from '../link/connect-redis.ts'
import type { RedisNode } from '../link/redis-link.ts'

/** The same link with another run id. */
export const withRun = (link: RedisNode, run: string): RedisNode => ({ ...link, run: () => run })

/**
 * Runs a suite of subtests on a Redis program, and on the Redis in JavaScript. `npm test` runs it on the latter only if
 * the machine has no program. Each subtest begins with an empty database.
 */
export function testOnEveryRedis(
  name: string,
  suite: (t: Test, link: RedisNode, kind: 'redis-server' | 'js-redis-server') => Promise<void>
): void {
  for (const [kind, program] of [
    ['redis-server', findRedisServer(process.env)],
    ['js-redis-server', null]
  ] as const) {
    if (kind === 'js-redis-server' && !testsAll && findRedisServer(process.env) !== null) continue
    test(`${name} (${kind})`, async (t) => {
      if (kind === 'redis-server' && !need(t, 'redis-server', program)) return
      const server = await leaseRedis({ program })
      const errors: Error[] = []
      const link = connectServer(server.url, {
        name: 'test',
        silenceTimeoutMs: 30_000,
        onError: (error) => void errors.push(error)
      })
      t.after(async () => {
        await link.close()
        await server.giveBack()
        assert.deepEqual(errors, [])
      })
      await link.ready()
      t.beforeEach(async () => void (await link.client.flushall()))
      await suite(t, link, kind)
    })
  }
}
