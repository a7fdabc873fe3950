import assert from 'node:assert/strict'
import { exchangeBytes } from '@tollgate/service/testing/ambiguous-requests.ts'
import t from 'tap'
import { chatOf } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'

t.test('only HTTP/1.1 clients that expect 100 Continue get it', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const { secret } = await gateway.seedKey()
  const body = JSON.stringify(chatOf('small'))
  for (const [version, expectation, isSaid] of [
    ['1.1', '100-continue', true],
    ['1.1', '100-Continue', true],
    ['1.1', 'something-else', false],
    ['1.0', '100-continue', false],
    ['1.0', 'something-else', false]
  ] as const) {
    const answer = await exchangeBytes(
      gateway.url,
      `POST /v1/chat/completions HTTP/${version}\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n` +
        `content-type: application/json\r\nconnection: close\r\nexpect: ${expectation}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`
    )
    const name = `${version} ${expectation}`
    assert.equal(answer.includes('100 Continue'), isSaid, name)
    assert.match(answer, /^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 200 OK\r\n/, name)
  }
})
