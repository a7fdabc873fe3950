import assert from 'node:assert/strict'
import t from 'tap'
import { loadPrettyLines } from './pretty-lines.ts'

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
