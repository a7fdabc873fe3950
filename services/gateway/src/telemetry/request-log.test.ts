import assert from 'node:assert/strict'
import { anyCharacter } from '@tollgate/sandbox/any-character.ts'
import fc from 'fast-check'
import pino from 'pino'
import t from 'tap'
import { logRequest, type RequestFacts } from './request-log.ts'

const facts: RequestFacts = {
  id: 'req_1',
  key: null,
  startedAt: 1000,
  endedAt: 1012.34,
  status: 200,
  code: null,
  endpoint: '/v1/models',
  sender: { address: '192.0.2.7', requestId: undefined }
}

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
    assert.partialDeepStrictEqual(ours, {
      reqId: 'req_1',
      status,
      code: null,
      key: null,
      durationMs: 12.3,
      endpoint: '/v1/models',
      clientAddress: '192.0.2.7'
    })
    assert.ok(!('clientRequestId' in ours))
  }
  t.end()
})

t.test('any address, request id and code give one line of valid JSON', (t) => {
  const { log, lines } = collect({})
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(
      '"',
      '\\',
      '\n',
      'a\u0085\u009b',
      '","level":60,"x":"',
      '\u2028',
      '\ud800',
      'a'.repeat(10_000),
      '::ffff:192.0.2.7'
    )
  )
  fc.assert(
    fc.property(hostile, hostile, fc.option(hostile), (clientAddress, clientRequestId, code) => {
      logRequest(log, { ...facts, sender: { address: clientAddress, requestId: clientRequestId }, code })
      const [line, ...others] = lines.splice(0)
      assert.deepEqual(others, [])
      assert.equal(line!.level, 30)
      // U+0085 ends a line for some readers, and U+009B begins commands of a terminal.
      assert.equal(line!.clientAddress, clientAddress.slice(0, 64).replace(/[\u007f-\u009f]/g, '\ufffd'))
      assert.ok([undefined, clientRequestId].includes(line!.clientRequestId as string | undefined))
      assert.ok(String(line!.clientRequestId ?? '').length <= 128)
      assert.equal(line!.code, code)
    })
  )
  t.end()
})

t.test('a client’s own request id is logged beside ours, if it looks like an id', (t) => {
  const { log, lines } = collect({})
  for (const [given, logged] of [
    ['9f1c-4d', '9f1c-4d'],
    ['Root=1-67891233-abcdef012345678912345678', 'Root=1-67891233-abcdef012345678912345678'],
    ['x'.repeat(128), 'x'.repeat(128)],
    ['x'.repeat(129), undefined],
    ['two words', undefined],
    ['', undefined],
    [['a', 'b'], undefined]
  ] as const) {
    logRequest(log, { ...facts, sender: { address: undefined, requestId: given as string } })
    const [line] = lines.splice(0)
    assert.equal(line!.clientRequestId, logged)
    assert.equal(line!.reqId, 'req_1')
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
