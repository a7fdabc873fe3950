import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url)
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const invalid = { model: 'small' }

t.test(
  'invalid requests of a key count against its rate, and are then refused before their body is read',
  async (t) => {
    const { secret } = await gateway.seedKey({ key: { requestsPerMinute: 6 } })
    const other = await gateway.seedKey()
    const ask = (body: unknown, headers: object = {}) =>
      post(gateway, secret, '/chat/completions', body, {
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers }
      })
    t.equal(await outcomeOf(await ask(chatOf('small'))), '200')
    t.equal(await outcomeOf(await ask(invalid)), '400 invalid_request')
    t.equal(await outcomeOf(await ask('{')), '400 invalid_json')
    t.equal(await outcomeOf(await ask(chatOf('small', { service_tier: 'priority' }))), '400 unpriced_parameter')
    t.equal(await outcomeOf(await ask(chatOf('none'))), '403 model_not_allowed')
    t.equal(await outcomeOf(await ask(invalid, { 'content-type': 'text/plain' })), '415 unsupported_media_type')
    t.equal(await outcomeOf(await ask('x'.repeat(21 * 1024 * 1024))), '413 request_too_large')
    // Not even what is too large is looked at.
    for (const body of [invalid, chatOf('small'), 'x'.repeat(21 * 1024 * 1024)]) {
      const refused = await ask(body)
      const seconds = Number(refused.headers.get('retry-after'))
      t.ok(seconds > 0 && seconds <= 60, `${seconds}`)
      t.equal(await outcomeOf(refused), '429 requests_per_minute')
    }
    t.equal(
      (await post(gateway, other.secret, '/chat/completions', chatOf('small'))).status,
      200,
      'other keys are served'
    )
  }
)

t.test('a key whose plan was never needed may send 60 invalid requests a minute', async (t) => {
  const { secret } = await gateway.seedKey()
  const outcomes: string[] = []
  for (let index = 0; index < 62; index++)
    outcomes.push(await outcomeOf(await post(gateway, secret, '/embeddings', invalid)))
  t.same(outcomes.slice(0, 60), Array(60).fill('400 invalid_request'))
  t.same(outcomes.slice(60), Array(2).fill('429 requests_per_minute'))
})
