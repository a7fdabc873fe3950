import assert from 'node:assert/strict'
import { version } from '@tollgate/service/workspace.ts'
import { type LiveProcess, liveUpstreams, readProcesses } from '@tollgate/state/processes/heartbeat.ts'
import { test } from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'

test('a gateway reports its upstreams and their problems, its catalog and failed answers, and new upstreams at once', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  async function reportWith(count: number): Promise<LiveProcess> {
    for (;;) {
      const [report] = await readProcesses(gateway.control)
      if (report?.upstreams?.length === count) return report
    }
  }
  const first = await reportWith(1)
  assert.deepEqual([first.kind, first.version, first.errors], ['gateway', version, {}])
  assert.deepEqual(first.upstreams, [
    { name: 'test', breaker: 'closed', speaks: ['chat', 'completions', 'embeddings'] }
  ])
  assert.equal(first.catalogVersion, gateway.catalog.current()!.version)

  const { secret } = await gateway.seedKey()
  await post(gateway, 'tg_invented', '/chat/completions', chatOf('small'))
  upstream.answer(({ response }) => response.writeHead(401).end())
  for (let request = 0; request < 2; request++) await post(gateway, secret, '/chat/completions', chatOf('small'))
  upstream.answer(({ response }) => {
    const error = { message: 'Too long.', code: 'a_code_of_the_provider' }
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  })
  await post(gateway, secret, '/chat/completions', chatOf('small'))
  gateway.writeUpstreams(
    `upstreams:
  test: { base_url: '${upstream.url}/v1' }
  other: { base_url: '${upstream.url}' }
  later: { base_url: '${upstream.url}', optional: true, credential_variable: LATER_KEY }
`
  )
  await gateway.reloadUpstreams()
  const { errors, id, problems } = await reportWith(2)
  assert.equal(id, first.id)
  assert.deepEqual(
    Object.entries(errors).map(([code, { count }]) => [code, count]),
    [
      ['invalid_api_key', 1],
      ['upstream_rejected_credentials', 2],
      ['invalid_request', 1]
    ]
  )
  assert.deepEqual(
    problems!.map(({ what, upstream }) => [what, upstream]),
    [['TEST_CREDENTIAL', 'test']]
  )
  assert.deepEqual(await liveUpstreams(gateway.control), {
    served: new Set(['test', 'other']),
    leftOut: new Set(['later']),
    withoutListPrices: 0,
    withoutAddresses: 0,
    withoutBudgets: 0
  })
})
