import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { test } from 'tap'
import { freePort, isAddressInUse, PortTakenError, startOnPort } from './free-port.ts'

test('a free port can be listened on and is outside the range of outgoing connections', async (t) => {
  const port = await freePort()
  assert.ok(port >= 10_240 && port < 32_768)
  const server = createServer()
  t.after(() => new Promise((resolve) => server.close(resolve)))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const second = createServer()
  const failure = await new Promise((resolve) => second.once('error', resolve).listen(port, '127.0.0.1'))
  assert.ok(isAddressInUse(failure))
})

test('two processes that choose many ports never choose the same one', async () => {
  const program = `
    import { freePort } from ${JSON.stringify(new URL('./free-port.ts', import.meta.url).href)}
    const ports = []
    while (ports.length < 200) ports.push(await freePort())
    console.log(JSON.stringify(ports))
    process.stdin.resume()`
  const choosers = Array.from({ length: 2 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  )
  const chosen = await Promise.all(
    choosers.map(async ({ stdout }) => JSON.parse(String((await once(createInterface(stdout), 'line'))[0])))
  )
  const own: number[] = []
  while (own.length < 200) own.push(await freePort())
  for (const { stdin } of choosers) stdin.end()
  assert.equal(new Set([...own, ...chosen.flat()]).size, 600)
})

test('chosen ports do not keep a process alive', async () => {
  const module = JSON.stringify(new URL('./free-port.ts', import.meta.url).href)
  const program = `import { freePort } from ${module}; await freePort()`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { timeout: 20_000 })
})

test('a given port is tried once', async () => {
  const tried: number[] = []
  const start = async (port: number) => {
    tried.push(port)
    throw new PortTakenError(port)
  }
  await assert.rejects(startOnPort(4321, start), PortTakenError)
  assert.deepEqual(tried, [4321])
})

test('port 0 tries other ports after a collision, and gives up after five', async () => {
  let calls = 0
  const port = await startOnPort(0, async (tried) => {
    calls += 1
    if (calls < 3) throw new PortTakenError(tried)
    return tried
  })
  assert.equal(calls, 3)
  assert.ok(port > 0)

  calls = 0
  await assert.rejects(
    startOnPort(0, async (tried) => {
      calls += 1
      throw new PortTakenError(tried)
    }),
    PortTakenError
  )
  assert.equal(calls, 5)
})

test('any other error at the start is thrown at once', async () => {
  let calls = 0
  await assert.rejects(
    startOnPort(0, async () => {
      calls += 1
      throw new Error('no such program')
    }),
    /no such program/
  )
  assert.equal(calls, 1)
})
