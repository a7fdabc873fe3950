import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import t from 'tap'
import { installPreviousRelease, previousRelease, serveTogether } from './previous-release.ts'

// `npm run chaos -- upgrade` replaces all services.
t.test(`replicas of ${previousRelease.version} and of this release serve together`, { timeout: 600_000 }, async (t) => {
  if (!need(t, 'redis-server', findRedisServer(process.env)) || !need(t, 'PostgreSQL', findPostgres(process.env)))
    return
  const previous = await installPreviousRelease()
  if ('missing' in previous) return void t.pass('needs the previous release', { skip: `no ${previous.missing}` })
  t.teardown(() => previous.remove())
  // Then each kind of service runs in both releases, with both releases of the other.
  const { chats, calls } = await serveTogether(t, previous, ['control', 'gateway'])
  t.comment(`${chats} chats and ${calls} calls of the API, none failed`)
})
