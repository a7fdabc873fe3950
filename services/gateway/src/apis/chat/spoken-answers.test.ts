import assert from 'node:assert/strict'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import t from 'tap'
import { outcomeOf, post } from '../../testing/client.ts'
import { callsOf, startFakeUpstream } from '../../testing/fake-upstream.ts'
import { catalogOf, startGateway } from '../../testing/start-gateway.ts'
import type { SeededKey } from '../../testing/test-keys.ts'

t.test('spoken answers of a chat are accepted with a price, and charged by it', async (t) => {
  const upstream = await startFakeUpstream()
  const catalog = catalogOf({ voice: [{ upstream: 'test' }], text: [{ upstream: 'test' }] })
  const voice = catalog.models.voice!
  voice.prices = { inputPicos: 1000, cachedInputPicos: 1000, outputPicos: 10_000, audioOutputPicos: 64_000 }
  const gateway = await startGateway(upstream.url, { catalog })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const body = {
    model: 'voice',
    messages: [{ role: 'user', content: 'Hi' }],
    max_completion_tokens: 100,
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'pcm16' }
  }
  const ask = ({ secret }: SeededKey, members: object = {}) =>
    post(gateway, secret, '/chat/completions', { ...body, ...members })
  const settledOf = async ({ account }: SeededKey) => {
    await gateway.settled()
    return readSpend(gateway.control, account, Number(new Date().toISOString().slice(0, 7).replace('-', '')))
  }
  const bound = (members: object) => Buffer.byteLength(JSON.stringify({ ...body, ...members })) + 8 + 100 * 64

  await t.test('it is charged what the provider reports', async () => {
    const key = await gateway.seedKey()
    const details = { completion_tokens_details: { audio_tokens: 40, text_tokens: 10 } }
    const usage = { prompt_tokens: 10, completion_tokens: 50, total_tokens: 60, ...details }
    const message = { role: 'assistant', content: null, audio: { id: 'audio_1', data: 'AAAA', transcript: 'Hi' } }
    upstream.answer(({ response }) => void response.end(JSON.stringify({ choices: [{ index: 0, message }], usage })))
    assert.equal((await ask(key)).status, 200)
    const { modalities, audio } = JSON.parse(callsOf(upstream.received).at(-1)!.body)
    assert.deepEqual({ modalities, audio }, { modalities: body.modalities, audio: body.audio })
    assert.deepEqual(await settledOf(key), { settled: 10 + 10 * 10 + 40 * 64, reserved: 0 })
  })

  await t.test('a stream that is cut costs what was reserved, with all output as audio', async () => {
    const key = await gateway.seedKey()
    const chunk = { choices: [{ index: 0, delta: { audio: { id: 'audio_1', data: 'AAAA' } } }] }
    upstream.answer(
      ({ response }) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(chunk)}\n\n`)
    )
    await (await ask(key, { stream: true })).text()
    assert.deepEqual(await settledOf(key), { settled: bound({ stream: true }), reserved: 0 })
  })

  await t.test('without a price, it is refused', async () => {
    const key = await gateway.seedKey()
    assert.equal(await outcomeOf(await ask(key, { model: 'text' })), '400 unpriced_parameter')
    assert.equal(await outcomeOf(await ask(key, { model: 'text', modalities: null })), '400 unpriced_parameter')
    assert.equal(await outcomeOf(await ask(key, { modalities: ['image'] })), '400 unpriced_parameter')
  })
})
