import assert from 'node:assert/strict'
import { once } from 'node:events'
import t from 'tap'
import { chatOf, outcomeOf, post, rawConnection } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'

const office = '203.0.113.7'
const elsewhere = '198.51.100.1'

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url, { protection: { trustProxy: ['127.0.0.1'] } })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const headersOf = (secret: string, from: string) => ({
  authorization: `Bearer ${secret}`,
  'content-type': 'application/json',
  'x-forwarded-for': from
})

async function ask({ secret }: { secret: string }, from: string): Promise<string> {
  return outcomeOf(
    await post(gateway, secret, '/chat/completions', chatOf('small'), { headers: headersOf(secret, from) })
  )
}

/** Announces a body and sends nothing of it. @returns the answer */
async function announce({ secret }: { secret: string }, from: string, path: string): Promise<string> {
  const socket = rawConnection(gateway)
  const head = Object.entries({ host: 'x', 'content-length': '100', ...headersOf(secret, from) })
  socket.write(`POST ${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return String(answer)
}

const refused = '403 ip_address_not_allowed'
const refusedAnswer = /^HTTP\/1\.1 403 .*code":"ip_address_not_allowed"/s

t.test('a request from another address is refused before its body is read, also the first one of a key', async () => {
  for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/responses/input_tokens']) {
    const key = await gateway.seedKey({ key: { addresses: ['203.0.113.0/24', '2001:db8::/32'] } })
    assert.match(await announce(key, elsewhere, path), refusedAnswer)
    assert.equal(await ask(key, office), '200')
    assert.match(await announce(key, elsewhere, path), refusedAnswer)
  }
  assert.equal(gateway.bodyMemory.awaitedBytes, 0)
})

t.test('the address is the client’s, as TRUST_PROXY decides', async () => {
  const key = await gateway.seedKey({ key: { addresses: [office] } })
  assert.equal(await ask(key, `${elsewhere}, ${office}`), '200')
  assert.equal(await ask(key, `::ffff:${office}`), '200')
  assert.equal(await ask(key, `${office}, ${elsewhere}`), refused, 'the client named another one')
  assert.equal(await ask(key, 'unknown'), refused)
  const local = await gateway.seedKey({ key: { addresses: ['127.0.0.1'] } })
  const answer = await post(gateway, local.secret, '/chat/completions', chatOf('small'))
  assert.equal(await outcomeOf(answer), '200', 'without a proxy')
})

t.test('a change of the list is in force for the next request', async () => {
  const key = await gateway.seedKey()
  assert.equal(await ask(key, elsewhere), '200')
  await gateway.changeKey(key, { addresses: [office] })
  assert.equal(await ask(key, elsewhere), refused)
  await gateway.changeKey(key, { addresses: [office, elsewhere] })
  assert.equal(await ask(key, elsewhere), '200')
  await gateway.changeKey(key, { addresses: [office] })
  assert.equal(await ask(key, elsewhere), refused)
  const { addresses: _removed, ...rest } = key.record
  key.record = rest
  await gateway.changeKey(key, {})
  assert.equal(await ask(key, elsewhere), '200')
})

t.test('requests from other addresses use up no rate of the key', async () => {
  const key = await gateway.seedKey({ key: { requestsPerMinute: 5, addresses: [office] } })
  assert.equal(await ask(key, office), '200')
  await gateway.changeKey(key, { addresses: [elsewhere] })
  for (let request = 0; request < 12; request++) assert.equal(await ask(key, office), refused)
  assert.equal(await ask(key, elsewhere), '200')
})
