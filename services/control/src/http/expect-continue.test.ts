import assert from 'node:assert/strict'
import { exchangeBytes } from '@tollgate/service/testing/ambiguous-requests.ts'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'

test('only HTTP/1.1 clients that expect 100 Continue get it', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' })
  for (const [version, isSaid] of [
    ['1.1', true],
    ['1.0', false]
  ] as const) {
    const answer = await exchangeBytes(
      control.url,
      `POST /api/auth/login HTTP/${version}\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n` +
        `expect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    )
    assert.equal(answer.includes('100 Continue'), isSaid, version)
    assert.match(answer, /^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 401 Unauthorized\r\n/, version)
  }
})
