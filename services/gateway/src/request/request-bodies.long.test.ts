import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { catalogOfLargeBodies, encoders, postEncoded } from '../testing/compressed-bodies.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'

const megabyte = 1024 * 1024
const keyLimit = 24 * megabyte

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url, {
    bodyMemoryMb: 64,
    catalog: catalogOfLargeBodies,
    protection: { slowBodyMs: 600_000 }
  })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

t.test('a compressed body of 20 MiB is served like any other, and goes upstream uncompressed', async () => {
  const { secret } = await gateway.seedKey()
  const body = JSON.stringify(chatOf('small'))
  const large = body.slice(0, -1) + ' '.repeat(20 * megabyte - body.length) + body.slice(-1)
  for (const [encoding, encode] of Object.entries(encoders)) {
    upstream.received.length = 0
    assert.equal(await outcomeOf(await postEncoded(gateway, secret, encoding, encode(large))), '200', encoding)
    const [received] = upstream.received
    assert.equal(JSON.parse(received!.body).messages[0].content, 'Hello')
    assert.equal(received!.request.headers['content-encoding'], undefined)
  }
  assert.equal(gateway.bodyMemory.heldBytes, 0)
})

t.test('a body that decompresses beyond the limit is refused, and never held', async () => {
  const { secret } = await gateway.seedKey()
  let maxHeldBytes = 0
  const timer = setInterval(() => {
    maxHeldBytes = Math.max(maxHeldBytes, gateway.bodyMemory.heldBytes)
  }, 1)
  for (const [encoding, encode] of Object.entries(encoders)) {
    const bomb = encode(Buffer.alloc(64 * megabyte))
    assert.ok(bomb.length < megabyte)
    assert.equal(await outcomeOf(await postEncoded(gateway, secret, encoding, bomb)), '413 request_too_large', encoding)
  }
  clearInterval(timer)
  assert.ok(maxHeldBytes <= 2 * keyLimit, `${maxHeldBytes} bytes were held`)
  assert.equal(gateway.bodyMemory.heldBytes, 0)
})

t.test('a client that sends too much still gets the answer', async (t) => {
  const { secret } = await gateway.seedKey()
  const large = 'x'.repeat(21 * megabyte)
  for (let time = 0; time < 12; time++) {
    assert.equal(await outcomeOf(await post(gateway, secret, '/chat/completions', large)), '413 request_too_large')
  }
  const chunks = () => {
    let left = 30
    return new ReadableStream<Uint8Array>({
      pull: (controller) => (left-- > 0 ? controller.enqueue(Buffer.alloc(megabyte, ' ')) : controller.close())
    })
  }
  for (let time = 0; time < 5; time++) {
    const options = { body: chunks(), duplex: 'half' } as RequestInit
    assert.equal(
      await outcomeOf(await post(gateway, secret, '/chat/completions', '', options)),
      '413 request_too_large'
    )
  }
  for (const key of ['tg_nonsense', null]) {
    for (let time = 0; time < 5; time++) {
      assert.match(await outcomeOf(await post(gateway, key, '/chat/completions', large)), /^401 /)
    }
  }
  const curl = findProgram(['curl'])
  if (!need(t, 'curl', curl)) return
  const file = join(t.testdir(), 'large')
  writeFileSync(file, large)
  for (const extra of [[], ['-H', 'Expect:'], ['-H', 'Transfer-Encoding: chunked', '-H', 'Expect:']]) {
    for (let time = 0; time < 5; time++) {
      const { stdout } = await promisify(execFile)(curl, [
        ...[
          '-sS',
          '-w',
          ' %{http_code}',
          '-H',
          `authorization: Bearer ${secret}`,
          '-H',
          'content-type: application/json'
        ],
        ...[...extra, '--data-binary', `@${file}`, `${gateway.url}/v1/chat/completions`]
      ])
      assert.match(stdout, /"code":"request_too_large"}} 413$/, extra.join(' '))
    }
  }
})
