import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { World } from '../world.ts'
import { deadPort, type Fault, withEnv } from './fault.ts'

/** A Redis of its own with these arguments. */
const started = (name: string, code: string, args: readonly string[]): Fault => ({
  name,
  codes: [code],
  make: async ({ startRedis }) => ({ REDIS_URL: (await startRedis(args)).url })
})

async function withUser({ startRedis }: World, ...rules: string[]): Promise<string> {
  const { url } = await startRedis()
  const link = connectServer(url, { name: 'test', silenceTimeoutMs: 5000, onError: () => {} })
  await link.ready()
  await link.client.call('ACL', 'SETUSER', 'tollgate', 'on', '>password-of-redis', '~*', '&*', ...rules)
  await link.close()
  return url.replace('redis://', 'redis://tollgate:password-of-redis@')
}

export const redisFaults: readonly Fault[] = [
  withEnv('nothing listens at the address of Redis', ['redis_unreachable'], {
    REDIS_URL: `redis://127.0.0.1:${deadPort}`
  }),
  {
    name: 'the password of Redis is wrong',
    codes: ['redis_login_refused'],
    make: async (world) => ({ REDIS_URL: (await withUser(world, '+@all')).replace('password-of', 'mistaken-word-of') })
  },
  {
    name: 'the password of Redis is missing',
    codes: ['redis_login_refused'],
    async make({ startRedis }) {
      const { port } = await startRedis([], 'password-of-redis')
      return { REDIS_URL: `redis://127.0.0.1:${port}` }
    }
  },
  started('Redis may remove keys', 'redis_eviction', ['--maxmemory-policy', 'allkeys-lru']),
  started('Redis may remove keys that expire', 'redis_eviction', ['--maxmemory-policy', 'volatile-ttl']),
  started('Redis writes nothing to disk', 'redis_not_persistent', ['--appendonly', 'no']),
  started('Redis leaves syncs to the system', 'redis_appendfsync_no', ['--appendfsync', 'no']),
  {
    name: 'the user of Redis may not run scripts',
    codes: ['redis_rights'],
    make: async (world) => ({ REDIS_URL: await withUser(world, '+@all', '-evalsha') })
  },
  {
    name: 'REDIS_URL names a replica',
    codes: ['redis_is_replica'],
    async make({ startRedis, env }) {
      const { port } = new URL(env.REDIS_URL!)
      return { REDIS_URL: (await startRedis(['--replicaof', `127.0.0.1 ${port}`])).url }
    }
  }
]
