import assert from 'node:assert/strict'
import pino from 'pino'
import t from 'tap'
import { logRequest } from './request-log.ts'

const facts = { id: 'req_1', known: null, startedAt: performance.now(), status: 200, code: null }

/** The lines that a logger writes, parsed. */
function collect(options: pino.LoggerOptions) {
  const lines: Array<Record<string, unknown>> = []
  const log = pino(options, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { log, lines }
}

// `logRequest` uses symbols of pino: see docs/library-internals.md.
t.test('the line of a request begins like every line of that logger, bindings included', (t) => {
  const { log, lines } = collect({ name: 'gateway' })
  const child = log.child({ replica: 7 })
  for (const [status, write] of [
    [200, () => child.info('request')],
    [500, () => child.warn('request')]
  ] as const) {
    logRequest(child, { ...facts, status })
    write()
    const [ours, theirs] = lines.splice(0) as [Record<string, unknown>, Record<string, unknown>]
    assert.deepEqual(Object.keys(ours).slice(0, Object.keys(theirs).length - 1), Object.keys(theirs).slice(0, -1))
    for (const name of ['level', 'pid', 'hostname', 'name', 'replica', 'msg'])
      assert.equal(ours[name], theirs[name], name)
    assert.ok(Math.abs(Number(ours.time) - Number(theirs.time)) < 1000)
    assert.partialDeepStrictEqual(ours, { reqId: 'req_1', status, code: null, key: null })
  }
  t.end()
})

t.test('a disabled level writes no line', (t) => {
  const { log, lines } = collect({ level: 'warn' })
  logRequest(log, facts)
  assert.equal(lines.length, 0)
  logRequest(log, { ...facts, status: 500 })
  assert.equal(lines.length, 1)
  log.level = 'silent'
  logRequest(log, { ...facts, status: 500 })
  assert.equal(lines.length, 1)
  t.end()
})
