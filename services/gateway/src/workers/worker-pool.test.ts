import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import t from 'tap'
import { WorkerPool } from './worker-pool.ts'

/** A process that only tells what the pool listens for. */
const fakeProcess = () =>
  Object.assign(new EventEmitter(), { pid: 1, connected: false }) as unknown as ChildProcess & EventEmitter

function poolOf(start: () => ChildProcess): WorkerPool {
  const log = { info() {}, error() {} }
  return new WorkerPool({ count: 1, start, log, onEnd() {}, onRestart() {} })
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
