import assert from 'node:assert/strict'
import t from 'tap'
import { outcomeOf, post } from '../../testing/client.ts'
import { callsOf } from '../../testing/fake-upstream.ts'
import { answerWith, responseUsage } from '../../testing/responses-answers.ts'
import { testCatalog } from '../../testing/start-gateway.ts'
import { useResponses } from '../../testing/use-responses.ts'

const { inputPicos, outputPicos } = testCatalog.models.small!.prices
const api = useResponses(t)
const { bodyOf } = api
const nanos = (picos: number) => Math.ceil(picos / 1000)

/** What the body of a request without images reserves for its prompt. */
const promptTokensOf = (body: object) => Buffer.byteLength(JSON.stringify(body)) + 8

t.test('the cost of a prompt with images is reserved by the rule of the model', async () => {
  const image = { type: 'input_image', image_url: 'https://example.com/a.png' }
  for (const [detail, tokens] of [
    ['low', 85],
    ['high', 85 + 8 * 170]
  ] as const) {
    for (const part of [
      { ...image, detail },
      { detail, ...image }
    ]) {
      const input = [{ role: 'user', content: [part] }]
      const body = bodyOf({ model: 'exact', input, max_output_tokens: 20 })
      const bound = (promptTokensOf(body) + 8 + 4 + tokens) * inputPicos + 20 * outputPicos
      const enough = await api.gateway.seedKey({ key: { monthlyBudgetNanos: nanos(bound) } })
      const response = await post(api.gateway, enough.secret, '/responses', body)
      assert.equal(response.headers.get('x-tollgate-granted-output-tokens'), '20')
      const few = await api.gateway.seedKey({ key: { monthlyBudgetNanos: nanos(bound) - 1 } })
      const less = await post(api.gateway, few.secret, '/responses', body)
      assert.equal(less.headers.get('x-tollgate-granted-output-tokens'), '19')
    }
  }
})

t.test('tools that OpenAI has defined reserve their hidden tokens', async () => {
  for (const [tools, tokens] of [
    [[{ type: 'function', name: 'f' }], 0],
    [[{ type: 'apply_patch' }, { type: 'local_shell' }], 2048],
    [[{ type: 'computer_use_preview', display_width: 1, display_height: 1, environment: 'mac' }], 8192],
    [[{ type: 'computer' }], 8192]
  ] as const) {
    const body = bodyOf({ model: 'exact', tools, max_output_tokens: 20 })
    const bound = (promptTokensOf(body) + tokens) * inputPicos + 20 * outputPicos
    const enough = await api.gateway.seedKey({ key: { monthlyBudgetNanos: nanos(bound) } })
    const response = await post(api.gateway, enough.secret, '/responses', body)
    assert.equal(response.headers.get('x-tollgate-granted-output-tokens'), '20')
    const few = await api.gateway.seedKey({ key: { monthlyBudgetNanos: nanos(bound) - 1 } })
    const less = await post(api.gateway, few.secret, '/responses', body)
    assert.equal(less.headers.get('x-tollgate-granted-output-tokens'), '19')
  }
})

t.test('a small budget grants fewer output tokens, but never fewer than the API accepts', async () => {
  const body = bodyOf({ model: 'exact', max_output_tokens: 500 })
  const prompt = promptTokensOf(body) * inputPicos
  for (const [tokens, expected] of [
    [40, '40'],
    [16, '16'],
    [15, null]
  ] as const) {
    const key = await api.gateway.seedKey({ key: { monthlyBudgetNanos: nanos(prompt + tokens * outputPicos) } })
    const response = await post(api.gateway, key.secret, '/responses', body)
    assert.equal(response.headers.get('x-tollgate-granted-output-tokens'), expected)
    if (expected === null) assert.equal(await outcomeOf(response), '402 key_budget_exceeded')
    else assert.equal(JSON.parse(api.upstream.received.at(-1)!.body).max_output_tokens, tokens)
  }
})

t.test('a stampede never spends more than the budget', async () => {
  const maxOutput = 50
  const body = bodyOf({ model: 'exact', max_output_tokens: maxOutput, stream: true })
  const bytes = promptTokensOf(body)
  const each = nanos(bytes * inputPicos + maxOutput * outputPicos)
  const key = await api.gateway.seedKey({ key: { monthlyBudgetNanos: 5 * each } })
  // The provider bills all that was reserved.
  api.upstream.answer(answerWith(['x'], { usage: responseUsage(bytes, maxOutput) }))
  const answers = await Promise.all(Array.from({ length: 40 }, () => post(api.gateway, key.secret, '/responses', body)))
  const outcomes = await Promise.all(answers.map(outcomeOf))
  assert.equal(outcomes.filter((outcome) => outcome === '200').length, 5)
  assert.ok(outcomes.every((outcome) => outcome === '200' || outcome === '402 key_budget_exceeded'))
  await api.gateway.settled()
  assert.equal(await api.gateway.aboveBound(), 0)
  assert.ok(callsOf(api.upstream.received).length > 0)
})
