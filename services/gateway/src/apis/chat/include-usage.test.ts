import assert from 'node:assert/strict'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import { test } from 'tap'
import { chatOf, post } from '../../testing/client.ts'
import { callsOf, startFakeUpstream } from '../../testing/fake-upstream.ts'
import { startGateway, testCatalog } from '../../testing/start-gateway.ts'

const month = Number(new Date().toISOString().slice(0, 7).replace('-', ''))
const { inputPicos, outputPicos } = testCatalog.models.small!.prices
/** 10 tokens of the prompt, and 20 of the answer. */
const costOfUsage = Math.ceil((10 * inputPicos + 20 * outputPicos) / 1000)

test('a provider that is declared to report the usage of each event alone is charged by the sum', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url, {
    upstreamsFile: `upstreams: { test: { base_url: '${upstream.url}/v1', usage_by_event: true } }`
  })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'text/event-stream')
    const event = (content: string, usage: object, further: object = {}) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, ...further }], usage })}\n\n`
    const first = event('a', { prompt_tokens: 10, completion_tokens: 8 })
    const last = event('b', { completion_tokens: 12 }, { finish_reason: 'stop' })
    response.end(`${first}${last}data: [DONE]\n\n`)
  })
  const { secret, account } = await gateway.seedKey()
  const answer = await post(gateway, secret, '/chat/completions', chatOf('small', { stream: true }))
  await answer.text()
  await gateway.settled()
  assert.equal((await readSpend(gateway.control, account, month))?.settled, costOfUsage)
})

test('a provider that refuses include_usage gets no such option, and its usage counts', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url, {
    upstreamsFile: `upstreams: { test: { base_url: '${upstream.url}/v1', accepts_include_usage: false } }`
  })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'text/event-stream')
    const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
    const choices = [{ index: 0, delta: { content: 'a word' }, finish_reason: 'stop' }]
    response.end(`data: ${JSON.stringify({ choices, usage })}\n\ndata: [DONE]\n\n`)
  })
  for (const [options, expected] of [
    [{}, undefined],
    [{ stream_options: { include_usage: true } }, {}],
    [{ stream_options: { include_usage: false, include_obfuscation: false } }, { include_obfuscation: false }],
    [{ stream_options: {} }, {}]
  ] as const) {
    const { secret, account } = await gateway.seedKey()
    const answer = await post(gateway, secret, '/chat/completions', chatOf('small', { stream: true, ...options }))
    assert.equal(answer.status, 200)
    assert.equal((await answer.text()).includes('"prompt_tokens":10'), true)
    const sent = JSON.parse(callsOf(upstream.received).at(-1)!.body) as { stream_options?: object }
    assert.deepEqual(sent.stream_options, expected)
    await gateway.settled()
    const spend = await readSpend(gateway.control, account, month)
    assert.equal(spend?.settled, costOfUsage, 'its usage counts')
  }
})
