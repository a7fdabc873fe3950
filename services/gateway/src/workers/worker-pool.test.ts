import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { WorkerPool } from './worker-pool.ts'

const checkMs = 200

/** Answers until it is told to stop, or is blocked by a reload. */
const program = `
process.on('message', ({ kind, id }) => {
  if (kind === 'stop') process.exit()
  if (kind === 'reload') for (;;);
  process.send({ kind: 'state', id, state: { readiness: { isReady: true, details: {} }, metrics: [], names: {} } })
})
process.send({ kind: 'listening' })
`

async function startPool(t: Test, count: number) {
  const file = join(t.testdir({ 'worker.mjs': program }), 'worker.mjs')
  const events = new EventEmitter()
  const lines: Array<{ message: string; workerPid: number; silentMs?: number }> = []
  const pool = new WorkerPool({
    count,
    checkMs,
    // The test runner's options would make each start slow.
    start: () => fork(file, { execArgv: [], env: {} }),
    log: {
      info() {},
      error: (fields: object, message: string) => void lines.push({ message, ...(fields as { workerPid: number }) })
    } as never,
    onEnd() {},
    onRestart: () => events.emit('restarted'),
    onKill: () => events.emit('killed')
  })
  t.teardown(() => pool.stop())
  await pool.start()
  const pids = async () => (await pool.askAll(false)).map(({ pid }) => pid!)
  return { pool, events, lines, pids }
}

for (const [how, hang] of [
  ['is suspended', (_pool: WorkerPool, pid: number) => void process.kill(pid, 'SIGSTOP')],
  ['has a blocked event loop', (pool: WorkerPool) => pool.sendAll({ kind: 'reload' })]
] as const) {
  t.test(`a worker that ${how} is killed and replaced`, async (t) => {
    const { pool, events, lines, pids } = await startPool(t, 1)
    const [before] = await pids()
    const killed = once(events, 'killed')
    const restarted = once(events, 'restarted')
    hang(pool, before!)
    await Promise.all([killed, restarted])
    assert.deepEqual(
      lines.map(({ message, workerPid }) => [message, workerPid]),
      [
        ['a worker does not answer: killing it', before],
        ['a worker ended: starting it again', before]
      ]
    )
    assert.ok(lines[0]!.silentMs! >= 5 * checkMs, String(lines[0]!.silentMs))
    const [after] = await pids()
    assert.notEqual(after, before)
  })
}

t.test('workers that answer are not killed, and neither is one that was suspended for a few checks only', async (t) => {
  const { events, lines, pids } = await startPool(t, 2)
  events.on('killed', () => assert.fail('killed'))
  const before = await pids()
  process.kill(before[0]!, 'SIGSTOP')
  const waited = Promise.withResolvers<void>()
  setTimeout(waited.resolve, 3 * checkMs)
  await waited.promise
  process.kill(before[0]!, 'SIGCONT')
  assert.deepEqual(await pids(), before)
  assert.deepEqual(lines, [])
})

/** A process that only tells what the pool listens for. */
const fakeProcess = () =>
  Object.assign(new EventEmitter(), { pid: 1, connected: false }) as unknown as ChildProcess & EventEmitter

function poolOf(start: () => ChildProcess, count = 1): WorkerPool {
  const log = { info() {}, error() {} }
  return new WorkerPool({ count, start, log, onEnd() {}, onRestart() {}, onKill() {} })
}

t.test('a worker that cannot be started again, as without memory, is tried until it can', async () => {
  const first = fakeProcess()
  const back = Promise.withResolvers<void>()
  let starts = 0
  const pool = poolOf(() => {
    starts++
    if (starts === 1) return first
    if (starts === 2) throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })
    back.resolve()
    return fakeProcess()
  })
  const started = pool.start()
  first.emit('message', { kind: 'listening' })
  await started
  first.emit('exit', null, 'SIGKILL')
  await back.promise
  assert.equal(starts, 3)
})

t.test('a first worker that cannot be started stops the start', async () => {
  const pool = poolOf(() => {
    throw new Error('spawn ENOMEM')
  })
  await assert.rejects(pool.start(), /A worker ended before it listened/)
})

t.test('what a worker learned of an upstream reaches the others', async () => {
  const workers = Array.from({ length: 3 }, () => {
    const told: unknown[] = []
    return Object.assign(fakeProcess(), { connected: true, send: (message: unknown) => told.push(message), told })
  })
  const left = [...workers]
  const pool = poolOf(() => left.shift()!, workers.length)
  const started = pool.start()
  for (const worker of workers) worker.emit('message', { kind: 'listening' })
  await started
  const learned = [
    { kind: 'breaker', upstream: 'first', state: 'open' },
    { kind: 'pause', upstream: 'first', model: 'm', ms: 60_000 }
  ]
  for (const one of learned) workers[1]!.emit('message', one)
  assert.deepEqual(
    workers.map(({ told }) => told),
    [learned, [], learned]
  )
  const stopped = pool.stop()
  for (const worker of workers) worker.emit('exit', 0, null)
  await stopped
})
