import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import postgres from 'postgres'
import { test } from 'tap'
import { need } from '../need.ts'
import { findPostgres } from './find-postgres.ts'
import { startPostgres } from './start-postgres.ts'

/** One connection without notices and with a short timeout. */
const connect = (url: string) => postgres(url, { max: 1, connect_timeout: 5, onnotice: () => undefined })

test('rows survive SIGKILL and restarts at the same address; stopping removes all files', async (t) => {
  const server = await startPostgres({ settings: { max_connections: '17' } })
  if (!need(t, 'PostgreSQL', server)) return
  t.after(() => server.stop())
  let sql = connect(server.url)
  const [row] = await sql`select current_setting('data_directory') as data, current_setting('fsync') as fsync,
    current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
    current_setting('max_connections') as connections`
  assert.ok(row)
  assert.equal(row.fsync, 'off')
  assert.equal(row.connections, '17')
  assert.equal(row.addresses, '127.0.0.1')
  assert.equal(row.data, `${row.sockets}/data`)
  assert.ok(existsSync(row.data))

  await sql`create table kept (n int)`
  await sql`insert into kept values (1)`
  await server.kill('SIGKILL')
  await assert.rejects(connect(server.url)`select 1`)
  await sql.end({ timeout: 0 })

  await server.restart()
  sql = connect(server.url)
  assert.deepEqual([...(await sql`insert into kept values (2) returning n`)], [{ n: 2 }])
  await server.restart()
  await sql.end({ timeout: 0 })
  sql = connect(server.url)
  assert.deepEqual([...(await sql`select n from kept order by n`)], [{ n: 1 }, { n: 2 }])

  await sql.end()
  await server.stop()
  await server.stop()
  assert.ok(!existsSync(row.sockets))
  await assert.rejects(connect(server.url)`select 1`)
})

test("an unknown setting is reported with the server's output", async (t) => {
  if (!need(t, 'PostgreSQL', findPostgres(process.env))) return
  await assert.rejects(startPostgres({ settings: { no_such_setting: '1' } }), /no_such_setting/)
})
