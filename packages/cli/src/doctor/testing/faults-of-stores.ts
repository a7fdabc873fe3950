import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { deadPort, type Fault, type World, withEnv } from './world.ts'

/** A Redis of its own with these arguments. */
const started = (name: string, code: string, args: readonly string[]): Fault => ({
  name,
  codes: [code],
  make: async ({ startRedis }) => ({ REDIS_URL: (await startRedis(args)).url })
})

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

/** Changes a setting of the server until `undo`. */
const ofServer = (name: string, code: string): Fault => ({
  name: `${name} is off`,
  codes: [code],
  async make({ sql }) {
    await sql(`alter system set ${name} = off`, 'select pg_reload_conf()')
    return { env: {}, undo: () => sql(`alter system reset ${name}`, 'select pg_reload_conf()') }
  }
})

/** Creates a role, and connects with it. */
const asRole = (
  { name, codes }: Pick<Fault, 'name' | 'codes'>,
  grants: (role: string) => string[],
  change: Record<string, string> = {}
): Fault => ({
  name,
  codes,
  async make({ sql, env }) {
    const role = `doctor_${codes[0]}`
    await sql(`create role ${role} login`, ...grants(role))
    const url = new URL(env.DATABASE_URL!)
    url.username = role
    return { ...change, DATABASE_URL: url.href }
  }
})

const tables = 'all tables in schema public'
const allGrants = (role: string) => [`grant select, insert, update, delete on ${tables} to ${role}`]

const elsewhere = (url: string, change: (url: URL) => void): string => {
  const changed = new URL(url)
  change(changed)
  return changed.href
}

export const databaseFaults: readonly Fault[] = [
  {
    name: 'nothing listens at the address of PostgreSQL',
    codes: ['database_unreachable'],
    make: async ({ env }) => ({
      DATABASE_URL: elsewhere(env.DATABASE_URL!, (url) => {
        url.port = String(deadPort)
      })
    })
  },
  {
    name: 'the database does not exist',
    codes: ['database_absent'],
    make: async ({ env }) => ({
      DATABASE_URL: elsewhere(env.DATABASE_URL!, (url) => {
        url.pathname = '/absent'
      })
    })
  },
  withEnv('the database is in memory', ['database_in_memory'], { DATABASE_URL: 'pglite:memory' }),
  ofServer('fsync', 'database_fsync_off'),
  ofServer('full_page_writes', 'database_full_page_writes_off'),
  ofServer('synchronous_commit', 'database_synchronous_commit_off'),
  asRole(
    { name: 'the role may only read some tables', codes: ['database_grants'] },
    (role) => [`grant select on ${tables} to ${role}`],
    { AUTO_MIGRATE: 'false' }
  ),
  asRole({ name: 'the role may not migrate', codes: ['database_ddl'] }, allGrants),
  asRole(
    { name: 'transactions of the role are read-only', codes: ['database_read_only'] },
    (role) => [...allGrants(role), `alter role ${role} set default_transaction_read_only = on`],
    { AUTO_MIGRATE: 'false' }
  ),
  {
    name: 'migrations are pending, and control does not migrate',
    codes: ['database_migrations_pending'],
    make: async ({ emptyDatabase }) => ({ DATABASE_URL: await emptyDatabase(), AUTO_MIGRATE: 'false' })
  },
  {
    name: 'a newer release has migrated the database',
    codes: ['database_newer'],
    async make({ sql }) {
      await sql("insert into migrations (id, sha256) values (99999999999999, '')")
      return { env: {}, undo: () => sql('delete from migrations where id = 99999999999999') }
    }
  },
  withEnv('the pool has more connections than the server', ['database_pool_too_large'], { DATABASE_POOL_SIZE: '500' }),
  withEnv('two replicas have no room', ['database_pool_large'], { DATABASE_POOL_SIZE: '80' })
]

async function withUser({ startRedis }: World, ...rules: string[]): Promise<string> {
  const { url } = await startRedis()
  const link = connectServer(url, { name: 'test', silenceTimeoutMs: 5000, onError: () => {} })
  await link.ready()
  await link.client.call('ACL', 'SETUSER', 'tollgate', 'on', '>password-of-redis', '~*', '&*', ...rules)
  await link.close()
  return url.replace('redis://', 'redis://tollgate:password-of-redis@')
}
