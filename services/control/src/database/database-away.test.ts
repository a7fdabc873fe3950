import assert from 'node:assert/strict'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { need } from '@tollgate/sandbox/need.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { DrizzleQueryError, sql } from 'drizzle-orm'
import { test } from 'tap'
import { codeOf } from '../testing/call-control.ts'
import { createDatabase } from '../testing/create-database.ts'
import { openTestDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { openDatabase } from './connect.ts'
import { isDatabaseAway } from './database-away.ts'

test('while the database is unavailable', async (t) => {
  const server = await startPostgres()
  if (!need(t, 'PostgreSQL', server)) return
  t.after(() => server.stop())
  const path = await startFreezable(server.url)
  t.after(() => path.close())
  const databaseUrl = path.through(await createDatabase(server.url))
  const control = await startControl({ databaseUrl, requestTimeoutMs: 2500 })
  t.after(() => control.close())
  const { call } = control
  const user = await control.signUp()
  const { cookie, email, password } = user
  // A request that got 503 may still be executed. So sign-out gets another session than the one checked later.
  const otherSession = await control.signIn(user)

  const probe = async (path: string): Promise<number> => (await fetch(control.adminUrl + path)).status

  async function assertUnavailable(): Promise<void> {
    for (const [method, path, options] of [
      ['GET', '/api/auth/me', { cookie }],
      ['POST', '/api/auth/login', { body: { email, password } }],
      ['POST', '/api/auth/signout', { cookie: otherSession }],
      ['GET', '/api/keys', { cookie }]
    ] as const) {
      const started = performance.now()
      const answer = await call(method, path, options)
      assert.equal(answer.status, 503, path)
      assert.equal(codeOf(answer), 'database_unavailable', path)
      assert(Number(answer.headers['retry-after']) >= 2, path)
      assert.deepEqual(answer.cookies, [], path)
      assert(performance.now() - started < 10_000, path)
    }
    assert.equal((await call('GET', '/livez')).status, 200)
    assert.deepEqual(await probe('/livez'), 200)
    assert.deepEqual(await probe('/readyz'), 503)
  }

  await t.test('answers are 503, and sessions still work when it is back', async () => {
    await server.kill('SIGINT')
    await assertUnavailable()
    await server.restart()
    assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 200)
    assert.equal(await probe('/readyz'), 200)
  })

  await t.test('the same holds for a database that crashes during a request', async () => {
    const requests = Array.from({ length: 8 }, () => call('GET', '/api/auth/me', { cookie }))
    await server.kill('SIGKILL')
    for (const { status } of await Promise.all(requests)) assert([200, 503].includes(status), String(status))
    await assertUnavailable()
    await server.restart()
    assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 200)
  })

  await t.test('the same holds for a database that hangs', async () => {
    path.freeze()
    await assertUnavailable()
    path.thaw()
    assert.equal((await call('GET', '/api/auth/me', { cookie })).status, 200)
  })
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
  const hangingUp = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => hangingUp.listen(0, '127.0.0.1', resolve))
  t.after(() => hangingUp.close())
  const port = (server: Server) => (server.address() as { port: number }).port
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const closedPort = port(closed)
  await new Promise((resolve) => closed.close(resolve))

  for (const at of [closedPort, port(hangingUp)]) {
    const database = await openDatabase(`postgres://user@127.0.0.1:${at}/db`, { connectTimeoutMs: 1000 })
    const started = performance.now()
    await assert.rejects(async () => {
      await database.orm.execute(sql`select 1`)
    }, isDatabaseAway)
    assert(performance.now() - started < 15_000)
    await assert.rejects(
      database.orm.transaction(async (tx) => {
        await tx.execute(sql`select 1`)
      }),
      isDatabaseAway
    )
    await database.close()
  }
})

/** Starts a proxy that can stop passing bytes on, as a broken network does. */
async function startFreezable(serverUrl: string) {
  const { port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => sockets.delete(from))
      if (isFrozen) from.pause()
    }
  })
  let isFrozen = false
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    through(url: string): string {
      const own = new URL(url)
      own.port = String((server.address() as { port: number }).port)
      return own.href
    },
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}
