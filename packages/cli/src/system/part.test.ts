import assert from 'node:assert/strict'
import { join } from 'node:path'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { type Test, test } from 'tap'
import { createPart, type PartOptions } from './part.ts'
import { createLogFile, startProgram } from './program.ts'
import { SystemError } from './system-error.ts'

/** A part that runs `source`. It is ready when `GET /` on `port` answers 200. */
function partOf(t: Test, source: string, port: number, options: Partial<PartOptions> = {}) {
  const directory = t.testdir({ 'program.mjs': source })
  const log = createLogFile(join(directory, 'program.log'))
  const crashes: string[] = []
  const part = createPart({
    name: 'example',
    launch: async () =>
      startProgram({
        script: join(directory, 'program.mjs'),
        cwd: directory,
        env: { PORT: String(port) },
        log,
        stopTimeoutMs: 300
      }),
    ready: { url: `http://127.0.0.1:${port}/` },
    readyTimeoutMs: 10_000,
    log,
    onCrash: (how) => crashes.push(how),
    ...options
  })
  t.after(() => part.stop())
  return { part, crashes }
}

const server = `
  import { createServer } from 'node:http'
  createServer((request, response) => response.end(String(process.pid))).listen(process.env.PORT, '127.0.0.1')`

const ask = async (port: number) => Number(await (await fetch(`http://127.0.0.1:${port}/`)).text())

test('a part is ready when start resolves, can be stopped, and can be started again', async (t) => {
  const port = await freePort()
  const { part, crashes } = partOf(t, server, port)
  assert.equal(part.pid, null)
  await part.start()
  const first = part.pid
  assert.equal(await ask(port), first)
  await assert.rejects(part.start(), /is already running/)
  await part.restart()
  assert.notEqual(part.pid, first)
  assert.equal(await ask(port), part.pid)
  await Promise.all([part.stop(), part.stop()])
  assert.equal(part.isRunning, false)
  await assert.rejects(ask(port))
  await part.stop()
  assert.deepEqual(crashes, [])
})

test('if a program ends during the start, the error has its last lines', async (t) => {
  const { part, crashes } = partOf(t, 'console.log("PORT: must be a number"); process.exit(3)', 1)
  await assert.rejects(part.start(), (error) => {
    assert.ok(error instanceof SystemError)
    assert.match(error.message, /^example ended with status 3 before it was ready/)
    assert.match(error.message, /PORT: must be a number$/)
    return true
  })
  assert.equal(part.isRunning, false)
  assert.deepEqual(crashes, [])
})

test('a program that is not ready in time is stopped, with an error', async (t) => {
  const { part } = partOf(t, 'setInterval(() => {}, 1000)', 1, { readyTimeoutMs: 300 })
  await assert.rejects(part.start(), /example was not ready after 0.3 s/)
  assert.equal(part.isRunning, false)
})

test('a slow start is told once, with what the log has so far and what follows', async (t) => {
  const port = await freePort()
  const told: string[] = []
  const { part } = partOf(
    t,
    `
    import { createServer } from 'node:http'
    const server = createServer((request, response) => response.end())
    process.on('SIGUSR2', () => {
      console.log('found the database')
      server.listen(process.env.PORT, '127.0.0.1')
    })
    console.log('waiting for the database')
    setInterval(() => {}, 1000)`,
    port,
    {
      slowAfterMs: 200,
      onSlow: () => told.push('slow'),
      onLine(line) {
        told.push(line)
        if (line === 'waiting for the database') process.kill(part.pid ?? 0, 'SIGUSR2')
      }
    }
  )
  await part.start()
  await part.stop()
  assert.deepEqual(told, ['slow', 'waiting for the database', 'found the database'])
})

test('an aborted start stops the program and rejects with the reason', async (t) => {
  const { part } = partOf(t, 'setInterval(() => {}, 1000)', 1)
  const abort = new AbortController()
  const starting = part.start(abort.signal)
  while (part.pid === null) await new Promise((resolve) => setImmediate(resolve))
  const { pid } = part
  const reason = new Error('changed my mind')
  abort.abort(reason)
  await assert.rejects(starting, (error) => error === reason)
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
})

test('a part is not ready before it answers 200', async (t) => {
  const port = await freePort()
  const { part } = partOf(
    t,
    `
    import { createServer } from 'node:http'
    let requests = 0
    createServer((request, response) => {
      response.statusCode = ++requests < 4 ? 503 : 200
      response.end(String(requests))
    }).listen(process.env.PORT, '127.0.0.1')`,
    port
  )
  await part.start()
  assert.equal(await ask(port), 5)
})

test('a program that ignores SIGTERM is killed', async (t) => {
  const port = await freePort()
  const { part, crashes } = partOf(t, `${server}\nprocess.on('SIGTERM', () => {})`, port)
  await part.start()
  const { pid } = part
  await part.stop()
  assert.ok(pid !== null)
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  assert.deepEqual(crashes, [])
})

test('an unexpected end is reported after the last lines; an end by kill is not', async (t) => {
  const port = await freePort()
  const lines: string[] = []
  const crashed = Promise.withResolvers<string>()
  const { part } = partOf(
    t,
    `${server}\nprocess.on('SIGUSR2', () => { console.log('out of luck'); process.exit(4) })`,
    port,
    { onLine: (line) => lines.push(line), onCrash: crashed.resolve }
  )
  await part.start()
  await part.kill('SIGKILL')
  assert.equal(part.isRunning, false)
  await part.start()
  process.kill(part.pid ?? 0, 'SIGUSR2')
  assert.equal(await crashed.promise, 'with status 4')
  assert.deepEqual(lines, ['out of luck'])
  assert.equal(part.isRunning, false)
})

test('a suspended part counts as running and can be stopped', async (t) => {
  const port = await freePort()
  const { part } = partOf(t, server, port)
  await part.start()
  await part.kill('SIGSTOP')
  assert.equal(part.isRunning, true)
  await part.stop()
  assert.equal(part.isRunning, false)
})

test('a missing program is an error', async (t) => {
  const { part } = partOf(t, server, 1, {
    launch: async () =>
      startProgram({
        script: 'x.mjs',
        cwd: '/nonexistent',
        env: {},
        log: createLogFile(join(t.testdirName, 'x.log')),
        stopTimeoutMs: 300
      })
  })
  await assert.rejects(part.start(), /could not start/)
})
