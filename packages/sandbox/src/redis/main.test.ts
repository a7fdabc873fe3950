import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { Redis } from 'ioredis'
import { test } from 'tap'
import { freePort } from '../free-port.ts'
import { need } from '../need.ts'
import { findRedisServer } from './find-redis-server.ts'

const main = new URL('./main.ts', import.meta.url).pathname

function run(env: Record<string, string>) {
  return spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function firstLine(program: ChildProcess): Promise<string> {
  assert.ok(program.stdout)
  const [line] = (await once(createInterface(program.stdout), 'line')) as [string]
  return line
}

/** A client that fails instead of reconnecting. */
function connect(port: number): Redis {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => null })
  return client.on('error', () => undefined)
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`the program says when it is ready, and on ${signal} stops what it started and ends with status 0`, async (t) => {
    if (!need(t, 'redis-server', findRedisServer(process.env))) return
    const port = await freePort()
    const TOLLGATE_DATA_DIR = t.testdir()
    const env = { PATH: process.env.PATH ?? '', SANDBOX_REDIS_PORT: String(port), TOLLGATE_DATA_DIR }
    for (const expected of [null, 'kept']) {
      const program = run(env)
      t.after(() => program.kill('SIGKILL'))
      assert.match(
        await firstLine(program),
        new RegExp(`^(redis|valkey)-server is ready at redis://127.0.0.1:${port}$`)
      )
      const client = connect(port)
      assert.equal(await client.get('a'), expected)
      await client.set('a', 'kept')
      client.disconnect()
      program.kill(signal)
      assert.deepEqual(await once(program, 'exit'), [0, null])
      await assert.rejects(connect(port).ping())
    }
  })
}

test('without a Redis program it hosts js-redis-server, and says that this keeps nothing', async (t) => {
  const port = await freePort()
  const program = run({ PATH: '/nonexistent', SANDBOX_REDIS_PORT: String(port), TOLLGATE_DATA_DIR: t.testdir() })
  t.after(() => program.kill('SIGKILL'))
  assert.match(await firstLine(program), /^js-redis-server is ready at redis:\/\/127\.0\.0\.1:\d+; it keeps nothing/)
  const client = connect(port)
  await client.set('a', '1')
  assert.equal(await client.get('a'), '1')
  const ended = once(client, 'end')
  program.kill('SIGTERM')
  assert.deepEqual(await once(program, 'exit'), [0, null])
  await ended
})

test('a taken port is named with its variable', async (t) => {
  const port = await freePort()
  const env = { PATH: '/nonexistent', SANDBOX_REDIS_PORT: String(port), TOLLGATE_DATA_DIR: t.testdir() }
  const first = run(env)
  t.after(() => first.kill('SIGKILL'))
  await firstLine(first)
  const second = run(env)
  const [message, [code]] = await Promise.all([text(second.stderr), once(second, 'exit')])
  assert.equal(code, 1)
  assert.match(message, new RegExp(`^Port ${port} \\(SANDBOX_REDIS_PORT\\) is in use`))
  first.kill('SIGTERM')
  await once(first, 'exit')
})

test('it refuses to run in production, and on a bad configuration', async () => {
  for (const [env, reason] of [
    [{ NODE_ENV: 'production' }, /NODE_ENV/],
    [{ SANDBOX_REDIS_PORT: '70000' }, /SANDBOX_REDIS_PORT/],
    [{ REDIS_SERVER_PATH: '/nonexistent/redis' }, /REDIS_SERVER_PATH/]
  ] as const) {
    const program = run(env)
    const [message, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')])
    assert.equal(code, 1)
    assert.match(message, reason)
  }
})
