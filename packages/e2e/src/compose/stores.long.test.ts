import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '@tollgate/control/database/connect.ts'
import { migrate } from '@tollgate/control/database/migrate.ts'
import { createDatabase } from '@tollgate/control/testing/create-database.ts'
import { startChild } from '@tollgate/sandbox/child/child.ts'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import { test } from 'tap'
import { compose, composeFolder, readBeside } from './compose.ts'

test('Redis starts with its password and settings, which no list of processes shows', async (t) => {
  const program = findProgram(['redis-server'])
  if (!need(t, 'redis-server', program)) return
  const directory = t.testdir()
  const port = await freePort()
  const file = join(directory, 'redis.conf')
  const settings = readBeside('redis.conf').replace('dir /data', `dir ${directory}`)
  writeFileSync(file, `${settings}\nbind 127.0.0.1\nport ${port}\n`)
  const [command] = compose.services.redis!.command!
  const script = command!
    .replaceAll('$$', '$')
    .replace('/etc/tollgate/redis.conf', file)
    .replace('redis-server', program)
  const child = await startChild({
    command: 'sh',
    args: ['-c', script],
    cwd: directory,
    variables: { REDIS_PASSWORD: 'abc123' },
    stopSignal: 'SIGTERM',
    temporaryDirectory: null
  })
  t.after(() => child.stop())
  const connectAs = (password?: string) => {
    const redis = new Redis({
      port,
      host: '127.0.0.1',
      retryStrategy: () => 20,
      maxRetriesPerRequest: null,
      ...(password !== undefined && { password })
    })
    redis.on('error', () => {})
    t.after(() => redis.disconnect())
    void child.ended.then(() => redis.disconnect())
    return redis
  }
  const redis = connectAs('abc123')
  assert.equal(await redis.ping(), 'PONG')
  const config = (name: string) => redis.config('GET', name).then((reply) => (reply as string[])[1])
  assert.equal(await config('maxmemory-policy'), 'noeviction')
  assert.equal(await config('appendonly'), 'yes')
  assert.equal(await config('maxmemory'), String(700 * 2 ** 20))
  assert.doesNotMatch(execFileSync('cat', [`/proc/${child.pid}/cmdline`], { encoding: 'utf8' }), /abc123/)
  await assert.rejects(connectAs().ping(), /NOAUTH/)
  await child.kill('SIGTERM')
  assert.equal((await child.ended).code, 0, 'the signal reaches Redis, not only a shell')
})

test('the role of control reads and writes rows, and cannot change tables', async (t) => {
  if (!need(t, 'psql', findProgram(['psql']))) return
  const server = await startPostgres()
  if (!need(t, 'PostgreSQL', server)) return
  t.after(() => server.stop())
  const database = new URL(await createDatabase(server.url))
  execFileSync('sh', [`${composeFolder}postgres-roles.sh`], {
    env: {
      PATH: process.env.PATH,
      PGHOST: database.hostname,
      PGPORT: database.port,
      POSTGRES_DB: database.pathname.slice(1),
      DATABASE_OWNER_PASSWORD: 'owner1',
      DATABASE_CONTROL_PASSWORD: 'control1'
    },
    stdio: 'pipe'
  })
  const as = (role: string, password: string) => Object.assign(new URL(database), { username: role, password }).href
  const owner = await openDatabase(as('tollgate_owner', 'owner1'), { poolSize: 1 })
  await migrate(owner.orm)
  await owner.close()
  const sql = postgres(as('tollgate_control', 'control1'), { onnotice: () => {} })
  t.after(() => sql.end())
  await sql`insert into catalogs (sha256, json, created_at) select sha256, json, created_at from catalogs`
  await sql`delete from accounts`
  await assert.rejects(sql`drop table accounts`, /must be owner/)
  await assert.rejects(sql`create table mine (id int)`, /permission denied/)
})
