import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'tap'
import { chatOf, post, rawConnection } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'

const docsUrl = 'https://docs.example.com/api'

test('with DOCS_URL, each error links to the documentation of its code', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url, { docsUrl })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const { secret } = await gateway.seedKey()

  async function assertLinks(answer: Response, code: string): Promise<void> {
    const { error } = (await answer.json()) as { error: Record<string, string> }
    assert.deepEqual([error.code, error.doc_url], [code, `${docsUrl}/errors/${code}`])
  }
  await assertLinks(await fetch(`${gateway.url}/v1/models`), 'missing_api_key')
  await assertLinks(await fetch(`${gateway.url}/v1/%zz`), 'unknown_endpoint')
  await assertLinks(await post(gateway, secret, '/chat/completions', '{'), 'invalid_json')
  upstream.answer(({ response }) => response.writeHead(401).end())
  await assertLinks(await post(gateway, secret, '/chat/completions', chatOf('small')), 'upstream_rejected_credentials')

  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n', () => response.destroy())
  })
  const stream = await post(gateway, secret, '/chat/completions', { ...chatOf('small'), stream: true })
  assert.match(await stream.text(), /"doc_url":"https:\/\/docs\.example\.com\/api\/errors\/upstream_/)

  const socket = rawConnection(gateway)
  socket.write('nonsense\r\n\r\n')
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /"doc_url":"https:\/\/docs\.example\.com\/api\/errors\/invalid_request"/)
})
