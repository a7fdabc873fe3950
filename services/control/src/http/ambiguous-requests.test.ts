import assert from 'node:assert/strict'
import { ambiguousRequests, exchangeBytes } from '@tollgate/service/testing/ambiguous-requests.ts'
import { test } from 'tap'
import { startControl } from '../testing/start-control.ts'

test('a request that another server could read differently gets 400, and its connection is closed', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' })
  const fields = 'content-type: application/json\r\n'
  for (const [name, text] of ambiguousRequests({ method: 'POST', path: '/api/auth/login', fields, body })) {
    const answer = await exchangeBytes(control.url, text)
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/, name)
    assert.match(answer, /\r\nconnection: close\r\n/i, name)
    assert.match(
      answer,
      /\r\n\r\n{"error":{"message":"[^"]+","type":"invalid_request_error","code":"invalid_request"}}$/,
      name
    )
    assert.equal(answer.split('HTTP/1.1 ').length, 2, `${name}: one answer`)
  }
})
