import assert from 'node:assert/strict'
import { ambiguousRequests, exchangeBytes } from '@tollgate/service/testing/ambiguous-requests.ts'
import t from 'tap'
import { chatOf } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'

t.test('a request that another server could read differently gets 400, and its connection is closed', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const { secret } = await gateway.seedKey()
  const fields = `authorization: Bearer ${secret}\r\ncontent-type: application/json\r\n`
  const parts = { method: 'POST', path: '/v1/chat/completions', fields, body: JSON.stringify(chatOf('small')) }
  for (const [name, text] of ambiguousRequests(parts)) {
    const answer = await exchangeBytes(gateway.url, text)
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/, name)
    assert.match(answer, /\r\nconnection: close\r\n/i, name)
    assert.match(
      answer,
      /\r\n\r\n{"error":{"message":"[^"]+","type":"invalid_request_error","code":"invalid_request"}}$/,
      name
    )
    assert.equal(answer.split('HTTP/1.1 ').length, 2, `${name}: one answer`)
  }
  assert.equal(upstream.received.length, 0)
})
