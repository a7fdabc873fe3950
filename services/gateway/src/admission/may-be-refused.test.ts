import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { chatOf, outcomeOf, post, rawConnection } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'

const bodyBytes = 20 * 1024 * 1024

t.test('the gateway reads no body for a refused key', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const ask = async (secret: string) => outcomeOf(await post(gateway, secret, '/chat/completions', chatOf('small')))
  /** Announces a large body and sends one byte of it. @returns the answer */
  async function announce(secret: string): Promise<string> {
    const socket = rawConnection(gateway)
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n` +
        `content-type: application/json\r\ncontent-length: ${bodyBytes}\r\n\r\n{`
    )
    const answer = await text(socket)
    assert.equal(gateway.bodyMemory.awaitedBytes, 0)
    return answer
  }

  const revoked = await gateway.seedKey()
  assert.equal(await ask(revoked.secret), '200')
  await gateway.changeKey(revoked, { status: 'revoked' })
  assert.equal(await ask(revoked.secret), '401 revoked_api_key')
  assert.match(await announce(revoked.secret), /^HTTP\/1\.1 401 .*"code":"revoked_api_key"/s)

  const expired = await gateway.seedKey({ key: { expiresAt: Date.now() - 60_000 } })
  assert.equal(await ask(expired.secret), '401 expired_api_key')
  assert.match(await announce(expired.secret), /^HTTP\/1\.1 401 .*"code":"expired_api_key"/s)

  const suspended = await gateway.seedKey()
  assert.equal(await ask(suspended.secret), '200')
  await gateway.changeAccount(suspended, { status: 'suspended' })
  assert.equal(await ask(suspended.secret), '403 account_suspended')
  assert.match(await announce(suspended.secret), /^HTTP\/1\.1 403 .*"code":"account_suspended"/s)
  await gateway.changeAccount(suspended, { status: 'active' })
  assert.equal(await ask(suspended.secret), '200', 'and once it is active again, the next request is served')
})
