import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { loadPrettyLines, roundedMsText, roundMs, sampleRequests } from './log-lines.ts'

t.test('a share of the successful requests is logged, and every failure', (t) => {
  for (const [share, expected] of [
    [0, 0],
    [0.25, 25],
    [1, 100]
  ] as const) {
    let draw = 0
    const logs = sampleRequests(share, () => (draw++ % 100) / 100)
    const count = (status: number, code: string | null) =>
      Array.from({ length: 100 }, () => logs(status, code)).filter((isLogged) => isLogged).length
    assert.equal(count(200, null), expected)
    assert.equal(count(204, null), expected)
    assert.equal(count(429, 'requests_per_minute'), 100)
    assert.equal(count(499, null), 100, 'a client that left before the answer')
    assert.equal(count(200, 'upstream_error'), 100, 'a stream that failed after its head')
  }
  t.end()
})

const line = {
  level: 40,
  time: Date.UTC(2026, 10, 23, 12),
  pid: 7,
  hostname: 'host',
  name: 'gateway',
  reqId: 'req_1',
  status: 502,
  msg: 'request'
}

t.test('a line of JSON becomes one line for people', async () => {
  const pretty = await loadPrettyLines(false)
  const text = pretty(`${JSON.stringify(line)}\n`)
  assert.match(text, /^\[2026-11-2\d \d\d:\d\d:00\.000\] WARN \(gateway\): request \{"reqId":"req_1","status":502\}\n$/)
  assert.ok((await loadPrettyLines(true))(JSON.stringify(line)).includes('\u001b['), 'with colours for a terminal')
})

t.test('an error shows its stack, and a line that is not JSON stays as it is', async () => {
  const pretty = await loadPrettyLines(false)
  const err = { type: 'Error', message: 'broken', stack: 'Error: broken\n    at file.ts:1:2' }
  assert.match(pretty(JSON.stringify({ ...line, err })), /Error: broken\n +at file\.ts:1:2/)
  assert.equal(pretty('plain\n'), 'plain\n')
})

t.test('the text of a rounded time is that of the number', (t) => {
  const times = fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.nat(), fc.constantFrom(0, 0.04, 0.05, 9.95))
  fc.assert(fc.property(times, (ms) => assert.equal(roundedMsText(ms), String(roundMs(ms)))))
  t.end()
})
