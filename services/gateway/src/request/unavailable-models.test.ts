import assert from 'node:assert/strict'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import pino from 'pino'
import { test } from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { catalogOf, startGateway } from '../testing/start-gateway.ts'

test('a model without a known upstream gets 503 without a call or a charge, and one alarm', async (t) => {
  const upstream = await startFakeUpstream()
  const errors: Array<Record<string, unknown>> = []
  const gateway = await startGateway(upstream.url, {
    catalog: catalogOf({
      'gpt-x': [{ upstream: 'missing' }, { upstream: 'absent', priority: 1 }],
      partly: [{ upstream: 'missing' }, { upstream: 'test', priority: 1 }]
    }),
    log: pino({ level: 'error' }, { write: (line) => void errors.push(JSON.parse(line)) })
  })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const key = await gateway.seedKey()
  const fields = () => gateway.control.client.hkeys(accountName(key.account))
  const before = await fields()
  for (let request = 0; request < 3; request++) {
    const answer = await post(gateway, key.secret, '/chat/completions', chatOf('gpt-x'))
    assert.equal(answer.status, 503)
    assert.equal(answer.headers.get('x-should-retry'), 'true')
    assert.equal(answer.headers.get('retry-after'), '2')
    assert.match(await answer.text(), /"type":"upstream_error","code":"model_unavailable"/)
  }
  await gateway.settled()
  assert.deepEqual(await fields(), before, 'no hold, no spend and no usage')
  assert.equal(upstream.received.length, 0)
  assert.deepEqual(
    errors.map(({ model, upstreams }) => [model, upstreams]),
    [['gpt-x', ['missing', 'absent']]]
  )
  assert.match(await gateway.metrics(), /^tollgate_model_unavailable_total\{model="gpt-x"\} 3$/m)

  const refused = await post(gateway, key.secret, '/chat/completions', chatOf('unknown'))
  assert.notEqual(refused.status, 503, 'models that the key may not use are not disclosed')

  const served = await post(gateway, key.secret, '/chat/completions', chatOf('partly'))
  assert.equal(served.status, 200, 'unknown targets of a route are skipped')
  await gateway.settled()
  const rows = (await fields()).filter((field) => field.startsWith('u:'))
  assert.match(
    rows.join(),
    /^u:\d+:[0-9a-f]{16}-test\|[^|]+\|partly$/,
    'usage is counted for the upstream that served it'
  )
})

test('a model whose upstreams are all optional and not set up does not exist at this gateway', async (t) => {
  const upstream = await startFakeUpstream()
  const errors: string[] = []
  const entry = `{ base_url: '${upstream.url}/v1', optional: true, credential_variable: NOT_SET }`
  const upstreamsFile = `upstreams:\n  test: { base_url: '${upstream.url}/v1' }\n  other: ${entry}\n  third: ${entry}\n`
  const gateway = await startGateway(upstream.url, {
    upstreamsFile,
    catalog: catalogOf({
      here: [{ upstream: 'test' }],
      elsewhere: [{ upstream: 'other' }, { upstream: 'third', priority: 1 }],
      partly: [{ upstream: 'other' }, { upstream: 'test', priority: 1 }],
      broken: [{ upstream: 'missing' }]
    }),
    log: pino({ level: 'error' }, { write: (line) => void errors.push(line) })
  })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const { secret } = await gateway.seedKey()
  const headers = { authorization: `Bearer ${secret}` }
  const list = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as { data: Array<{ id: string }> }
  assert.deepEqual(
    list.data.map(({ id }) => id),
    ['here', 'partly'],
    'models without a route are not listed'
  )
  assert.equal((await fetch(`${gateway.url}/v1/models/elsewhere`, { headers })).status, 403)
  const [elsewhere, unknown] = await Promise.all(
    ['elsewhere', 'unknown'].map(async (model) =>
      (await post(gateway, secret, '/chat/completions', chatOf(model))).text()
    )
  )
  assert.match(elsewhere!, /"code":"model_not_allowed"/)
  assert.equal(elsewhere, unknown)
  assert.equal((await post(gateway, secret, '/responses/input_tokens', { model: 'elsewhere', input: 'x' })).status, 403)
  assert.equal((await post(gateway, secret, '/chat/completions', chatOf('partly'))).status, 200)
  assert.deepEqual(errors, [], 'the operator left it out on purpose')

  gateway.writeUpstreams(upstreamsFile.replace(', optional: true, credential_variable: NOT_SET', ''))
  await gateway.reloadUpstreams()
  assert.equal((await post(gateway, secret, '/chat/completions', chatOf('elsewhere'))).status, 200, 'now it is set up')
})
