import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { DrizzleQueryError, sql } from 'drizzle-orm'
import { test } from 'tap'
import { codeOf } from '../testing/call-control.ts'
import { newServerDatabase, openTestDatabase } from '../testing/databases.ts'
import { startFreezable } from '../testing/redis-proxy.ts'
import { startControl } from '../testing/start-control.ts'
import { openDatabase } from './connect.ts'
import { isDatabaseAway } from './database-away.ts'

test('while the database is unavailable, answers are 503, and sessions work when it is back', async (t) => {
  const databaseUrl = await newServerDatabase(t)
  if (databaseUrl === null) return
  const path = await startFreezable(databaseUrl)
  t.after(() => path.close())
  const control = await startControl({ databaseUrl: path.through(databaseUrl), requestTimeoutMs: 2500 })
  t.after(() => control.close())
  const { cookie } = await control.signUp()
  const me = () => control.call('GET', '/api/auth/me', { cookie })
  path.cut()
  const answer = await me()
  assert.equal(answer.status, 503)
  assert.equal(codeOf(answer), 'database_unavailable')
  assert.ok(Number(answer.headers['retry-after']) >= 2)
  assert.deepEqual(answer.cookies, [])
  path.thaw()
  assert.equal((await me()).status, 200)
})

test('an error in a statement does not mean that the database is unavailable', async (t) => {
  const database = await openTestDatabase('pglite:memory')
  t.after(() => database.close())
  for (const statement of [sql`select 1 / 0`, sql`select * from nothing`, sql`nonsense`]) {
    await assert.rejects(
      async () => {
        await database.orm.execute(statement)
      },
      (error) => error instanceof DrizzleQueryError && !isDatabaseAway(error)
    )
  }
  assert.equal(isDatabaseAway(new Error('x')), false)
  assert.equal(isDatabaseAway(null), false)
})

test('a port without a server, or a server that hangs up, counts as unavailable', async (t) => {
  const hangingUp = createServer((socket) => socket.resume().end())
  await new Promise<void>((resolve) => hangingUp.listen(0, '127.0.0.1', resolve))
  t.after(() => hangingUp.close())
  const port = (server: Server) => (server.address() as { port: number }).port
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const closedPort = port(closed)
  await new Promise((resolve) => closed.close(resolve))

  for (const at of [closedPort, port(hangingUp)]) {
    const database = await openDatabase(`postgres://user@127.0.0.1:${at}/db`, { connectTimeoutMs: 1000 })
    await assert.rejects(async () => {
      await database.orm.execute(sql`select 1`)
    }, isDatabaseAway)
    await assert.rejects(
      database.orm.transaction(async (tx) => {
        await tx.execute(sql`select 1`)
      }),
      isDatabaseAway
    )
    await database.close()
  }
})
