import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { test } from 'tap'
import { codeOf } from '../testing/call-control.ts'
import { createDatabase } from '../testing/create-database.ts'
import { startFreezable } from '../testing/redis-proxy.ts'
import { startControl } from '../testing/start-control.ts'

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

  async function probe(path: string): Promise<number> {
    const answer = await fetch(control.adminUrl + path)
    await answer.arrayBuffer()
    return answer.status
  }

  /** Waits for the first answer of a database that is back. */
  async function assertBack(): Promise<void> {
    let answer = await call('GET', '/api/auth/me', { cookie })
    while (answer.status === 503) answer = await call('GET', '/api/auth/me', { cookie })
    assert.equal(answer.status, 200)
  }

  async function assertUnavailable(): Promise<void> {
    for (const [method, path, options] of [
      ['GET', '/api/auth/me', { cookie }],
      ['POST', '/api/auth/login', { body: { email, password } }],
      ['POST', '/api/auth/signout', { cookie: otherSession }],
      ['GET', '/api/keys', { cookie }]
    ] as const) {
      const answer = await call(method, path, options)
      assert.equal(answer.status, 503, path)
      assert.equal(codeOf(answer), 'database_unavailable', path)
      assert(Number(answer.headers['retry-after']) >= 2, path)
      assert.deepEqual(answer.cookies, [], path)
    }
    assert.equal((await call('GET', '/livez')).status, 200)
    assert.deepEqual(await probe('/livez'), 200)
    assert.deepEqual(await probe('/readyz'), 503)
  }

  await t.test('answers are 503, and sessions still work when it is back', async () => {
    await server.kill('SIGINT')
    await assertUnavailable()
    await server.restart()
    await assertBack()
    assert.equal(await probe('/readyz'), 200)
  })

  await t.test('the same holds for a database that crashes during a request', async () => {
    const requests = Array.from({ length: 8 }, () => call('GET', '/api/auth/me', { cookie }))
    await server.kill('SIGKILL')
    for (const { status } of await Promise.all(requests)) assert([200, 503].includes(status), String(status))
    await assertUnavailable()
    await server.restart()
    await assertBack()
  })

  await t.test('the same holds for a database that hangs', async () => {
    path.freeze()
    await assertUnavailable()
    path.thaw()
    await assertBack()
  })
})
