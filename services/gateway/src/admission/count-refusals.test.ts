import assert from 'node:assert/strict'
import { accountName } from '@tollgate/state/keyspace/names.ts'
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

t.test('invalid requests count against the rate of their key; above it, no body is read', async () => {
  const { secret } = await gateway.seedKey({ key: { requestsPerMinute: 6 } })
  const other = await gateway.seedKey()
  const ask = (body: unknown, headers: object = {}) =>
    post(gateway, secret, '/chat/completions', body, {
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers }
    })
  assert.equal(await outcomeOf(await ask(chatOf('small'))), '200')
  assert.equal(await outcomeOf(await ask(invalid)), '400 invalid_request')
  assert.equal(await outcomeOf(await ask('{')), '400 invalid_json')
  assert.equal(await outcomeOf(await ask(chatOf('small', { service_tier: 'priority' }))), '400 unpriced_parameter')
  assert.equal(await outcomeOf(await ask(chatOf('none'))), '403 model_not_allowed')
  assert.equal(await outcomeOf(await ask(invalid, { 'content-type': 'text/plain' })), '415 unsupported_media_type')
  assert.equal(await outcomeOf(await ask('x'.repeat(21 * 1024 * 1024))), '413 request_too_large')
  // The refusal comes before the check of the length.
  for (const body of [invalid, chatOf('small'), 'x'.repeat(21 * 1024 * 1024)]) {
    const refused = await ask(body)
    const seconds = Number(refused.headers.get('retry-after'))
    assert.ok(seconds > 0 && seconds <= 60, `${seconds}`)
    assert.equal(await outcomeOf(refused), '429 requests_per_minute')
  }
  assert.equal(
    (await post(gateway, other.secret, '/chat/completions', chatOf('small'))).status,
    200,
    'other keys are served'
  )
})

t.test('a key whose records Redis lacks may send 60 invalid requests a minute', async () => {
  const { secret, account } = await gateway.seedKey()
  await gateway.control.client.del(accountName(account))
  const outcomes: string[] = []
  for (let index = 0; index < 62; index++)
    outcomes.push(await outcomeOf(await post(gateway, secret, '/embeddings', invalid)))
  assert.deepEqual(outcomes.slice(0, 60), Array(60).fill('400 invalid_request'))
  assert.deepEqual(outcomes.slice(60), Array(2).fill('429 requests_per_minute'))
})

t.test(
  'requests while a key is paused or its account is suspended do not count, so it works at once afterwards',
  async () => {
    const seeded = await gateway.seedKey({ key: { requestsPerMinute: 5 } })
    const ask = async () => outcomeOf(await post(gateway, seeded.secret, '/chat/completions', chatOf('small')))
    const askTwelveTimes = async () => {
      const outcomes = new Set<string>()
      for (let index = 0; index < 12; index++) outcomes.add(await ask())
      return [...outcomes]
    }
    assert.equal(await ask(), '200')
    await gateway.changeKey(seeded, { status: 'paused' })
    assert.deepEqual(await askTwelveTimes(), ['403 paused_api_key'])
    await gateway.changeKey(seeded, { status: 'active' })
    assert.equal(await ask(), '200')
    await gateway.changeAccount(seeded, { plan: 'free', status: 'suspended' })
    assert.deepEqual(await askTwelveTimes(), ['403 account_suspended'])
    await gateway.changeAccount(seeded, { plan: 'free', status: 'active' })
    assert.equal(await ask(), '200')
  }
)
