import assert from 'node:assert/strict'
import t from 'tap'
import { sampleRequests } from './sample-requests.ts'

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
