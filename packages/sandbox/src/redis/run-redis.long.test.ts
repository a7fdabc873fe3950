import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { Redis } from 'ioredis'
import { test } from 'tap'
import { nodeVariables } from '../child/child.ts'
import { freePort } from '../free-port.ts'
import { need } from '../need.ts'
import { readRedisConfig } from './config.ts'
import { findRedisServer } from './find-redis-server.ts'

const main = new URL('./run-redis.ts', import.meta.url).pathname
const run = (env: Record<string, string>) =>
  spawn(process.execPath, [main], { env: { ...nodeVariables(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] })

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

test('the program prints when it is ready, stops its server on SIGTERM and SIGINT, and keeps the data', async (t) => {
  if (!need(t, 'redis-server', findRedisServer(process.env))) return
  const port = await freePort()
  const env = { PATH: process.env.PATH ?? '', SANDBOX_REDIS_PORT: String(port), TOLLGATE_DATA_DIR: t.testdir() }
  for (const [signal, expected] of [
    ['SIGTERM', null],
    ['SIGINT', 'kept']
  ] as const) {
    const program = run(env)
    t.after(() => program.kill('SIGKILL'))
    assert.match(await firstLine(program), new RegExp(`^(redis|valkey)-server is ready at redis://127.0.0.1:${port}$`))
    const client = connect(port)
    assert.equal(await client.get('a'), expected)
    await client.set('a', 'kept')
    client.disconnect()
    program.kill(signal)
    assert.deepEqual(await once(program, 'exit'), [0, null])
    await assert.rejects(connect(port).ping())
  }
})

test('without a Redis program it runs an in-memory Redis, and says that data is lost when it stops', async (t) => {
  const port = await freePort()
  const program = run({ PATH: '/nonexistent', SANDBOX_REDIS_PORT: String(port), TOLLGATE_DATA_DIR: t.testdir() })
  t.after(() => program.kill('SIGKILL'))
  assert.match(
    await firstLine(program),
    /^js-redis-server is ready at redis:\/\/127\.0\.0\.1:\d+; it keeps data in memory only/
  )
  const client = connect(port)
  await client.set('a', '1')
  assert.equal(await client.get('a'), '1')
  const ended = once(client, 'end')
  program.kill('SIGTERM')
  assert.deepEqual(await once(program, 'exit'), [0, null])
  await ended
})

test('a server that ends by itself ends the program with an error', async (t) => {
  if (!need(t, 'redis-server', findRedisServer(process.env))) return
  const port = await freePort()
  const program = run({
    PATH: process.env.PATH ?? '',
    SANDBOX_REDIS_PORT: String(port),
    TOLLGATE_DATA_DIR: t.testdir()
  })
  t.after(() => program.kill('SIGKILL'))
  const said = text(program.stderr)
  await firstLine(program)
  connect(port)
    .shutdown('NOSAVE')
    .catch(() => undefined)
  assert.deepEqual(await once(program, 'exit'), [1, null])
  assert.match(await said, /ended by itself/)
})

test('a taken port is reported with its variable, in one line', async (t) => {
  const other = createServer((socket) => socket.destroy())
  const port = await freePort()
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => other.close(resolve)))
  const program = run({
    PATH: process.env.PATH ?? '',
    SANDBOX_REDIS_PORT: String(port),
    TOLLGATE_DATA_DIR: t.testdir()
  })
  const [message, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')])
  assert.equal(code, 1)
  assert.match(message, new RegExp(`^Port ${port} \\(SANDBOX_REDIS_PORT\\) is in use[^\\n]*\\n$`))
})

test('the configuration has defaults, names a bad variable, and refuses production', async () => {
  assert.deepEqual(readRedisConfig({ PATH: '/bin' }), {
    SANDBOX_REDIS_PORT: 6390,
    TOLLGATE_DATA_DIR: '.tollgate',
    REDIS_SERVER_PATH: '',
    PATH: '/bin'
  })
  assert.throws(() => readRedisConfig({ SANDBOX_REDIS_PORT: '70000' }), /SANDBOX_REDIS_PORT/)
  assert.throws(() => readRedisConfig({ NODE_ENV: 'production' }), /NODE_ENV/)
})
