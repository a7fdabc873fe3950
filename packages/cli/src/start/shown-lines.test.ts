import assert from 'node:assert/strict'
import { test } from 'tap'
import { createLineFilter } from './shown-lines.ts'

const entry = (level: number, msg: string, more = {}) => JSON.stringify({ level, time: 1, msg, ...more })

test('problems: warnings, errors with their cause, and lines outside the log are shown', async () => {
  const show = createLineFilter('problems')
  assert.equal(show('control', entry(30, 'listening')), null)
  assert.equal(show('control', entry(40, 'slow')), '[control] warn: slow')
  assert.equal(
    show('gateway', entry(50, 'redis', { err: { message: 'connect ECONNREFUSED' } })),
    '[gateway] error: redis: connect ECONNREFUSED'
  )
  assert.equal(show('models', 'Error: at large'), '[models] Error: at large')
  assert.equal(show('models', '{"no":"level"}'), '[models] {"no":"level"}')
  assert.equal(show('models', ''), null)
})

test('a repeated problem of a program is skipped, until another problem comes', async () => {
  const show = createLineFilter('problems')
  assert.ok(show('gateway', entry(40, 'redis')))
  assert.equal(show('gateway', entry(40, 'redis')), null)
  assert.ok(show('control', entry(40, 'redis')))
  assert.ok(show('gateway', entry(40, 'catalog')))
  assert.ok(show('gateway', entry(40, 'redis')))
})

test('all: every line is shown', async () => {
  const show = createLineFilter('all')
  assert.equal(show('control', entry(30, 'listening')), '[control] info: listening')
  assert.equal(show('control', entry(30, 'listening')), '[control] info: listening')
})
