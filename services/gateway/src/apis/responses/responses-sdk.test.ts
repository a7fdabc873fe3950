import assert from 'node:assert/strict'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import OpenAI from 'openai'
import t from 'tap'
import { collectLogLines } from '../../testing/log-lines.ts'
import { catalogOf, startGateway, type TestGateway } from '../../testing/start-gateway.ts'

type Response = OpenAI.Responses.Response

// The official SDK, through the gateway, to a server that keeps responses, finds items by their ids and writes a bill.
const lines = collectLogLines()
let [models, gateway] = [] as unknown as [RunningModels, TestGateway]
t.before(async () => {
  models = await startModels({ port: 0, apiKey: 'upstream-credential', paceMs: 0 })
  const catalog = catalogOf({
    plain: [{ upstream: 'test', model: 'm' }],
    reasoning: [{ upstream: 'test', model: 'm+reasoning-tokens=40' }],
    failing: [{ upstream: 'test', model: 'm+fail-after=6' }]
  })
  for (const model of Object.values(catalog.models)) model.tokenizer = 'o200k_base'
  const upstreamsFile = `upstreams: { test: { base_url: '${models.baseUrl}', credential_variable: TEST_CREDENTIAL, speaks: [responses] } }`
  gateway = await startGateway(models.url, { catalog, upstreamsFile, log: lines.log })
})
t.teardown(async () => {
  await gateway.close()
  await models.close()
})

async function clientOf(): Promise<OpenAI> {
  const { secret } = await gateway.seedKey()
  return new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
}

/** Compares the charge of the latest request with the bill of the provider. */
async function assertBilled(): Promise<void> {
  const record = models.requests().at(-1)!
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = record
  const expected = { promptTokens, cachedTokens, completionTokens, reasoningTokens, estimated: false }
  assert.partialDeepStrictEqual(await lines.of(record.requestId), expected)
}

t.test('chains, streams, reasoning and tools cost what the provider bills, within what was reserved', async () => {
  const { responses } = await clientOf()
  for (const model of ['plain', 'reasoning']) {
    let previous: string | null = null
    for (const input of ['say 30 words', 'say 9 words', 'say 50 words']) {
      const asked: { model: string; input: string; previous_response_id: string | null } = {
        model,
        input,
        previous_response_id: previous
      }
      const made: Response = await responses.stream(asked).finalResponse()
      assert.ok(made.output_text.length > 0)
      await assertBilled()
      const next: Response = await responses.create({ ...asked, previous_response_id: made.id })
      await assertBilled()
      previous = next.id
    }
    const reference = { type: 'item_reference' as const, id: (await responses.retrieve(previous!)).output[0]!.id! }
    await responses.create({ model, input: [reference, { role: 'user', content: 'say 3 words' }] })
    await assertBilled()
  }
  const tools = [{ type: 'function' as const, name: 'add', parameters: { type: 'object' }, strict: false }]
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Hello' }]
  const called = await responses.create({ model: 'plain', input, tools, tool_choice: 'required' })
  await assertBilled()
  const call = called.output.find((item) => item.type === 'function_call')!
  input.push(...(called.output as OpenAI.Responses.ResponseInput))
  input.push({ type: 'function_call_output', call_id: call.call_id, output: '3' })
  assert.ok((await responses.create({ model: 'plain', input, tools })).output_text.length > 0)
  await assertBilled()
  await gateway.settled()
  assert.equal(await gateway.aboveBound(), 0)
})

t.test('encrypted reasoning continues a conversation that is not stored, without ids, as Codex sends it', async () => {
  const { responses } = await clientOf()
  const asked = { model: 'reasoning', store: false, include: ['reasoning.encrypted_content' as const] }
  const first = await responses.create({ ...asked, input: 'say 9 words' })
  const { encrypted_content } = first.output.find((item) => item.type === 'reasoning')!
  const again = (encrypted_content: string) =>
    responses.create({
      ...asked,
      input: [
        { type: 'reasoning', summary: [], encrypted_content } as unknown as OpenAI.Responses.ResponseInputItem,
        { role: 'assistant', content: first.output_text },
        { role: 'user', content: 'say 5 words' }
      ]
    })
  assert.ok((await again(encrypted_content!)).output_text.length > 0)
  await assertBilled()
  await assert.rejects(again('c2FuZGJveA.eA'), { status: 400, code: 'invalid_encrypted_content' })
})

t.test('a response that fails in the middle reaches the SDK', async () => {
  const { responses } = await clientOf()
  const types: string[] = []
  for await (const { type } of await responses.create({ model: 'failing', input: 'say 9 words', stream: true }))
    types.push(type)
  assert.equal(types.at(-1), 'response.failed')
  const { requestId } = models.requests().at(-1)!
  assert.partialDeepStrictEqual(await lines.of(requestId), { status: 200, code: null })
  assert.equal((await responses.create({ model: 'failing', input: 'say 9 words' })).status, 'failed')
})

t.test('another account can neither continue nor read nor delete a response, and the owner can', async () => {
  const [ada, bob] = await Promise.all([clientOf(), clientOf()])
  const { id, output } = await ada.responses.create({ model: 'plain', input: 'say 5 words' })
  const item = output[0]!.id!
  const notFound = { status: 404 }
  await assert.rejects(bob.responses.create({ model: 'plain', input: 'x', previous_response_id: id }), notFound)
  await assert.rejects(
    bob.responses.create({ model: 'plain', input: [{ type: 'item_reference', id: item }] }),
    notFound
  )
  await assert.rejects(bob.responses.retrieve(id), notFound)
  await assert.rejects(bob.responses.delete(id), notFound)
  await assert.rejects(bob.responses.inputItems.list(id), notFound)
  assert.equal((await ada.responses.retrieve(id)).id, id)
  assert.ok((await ada.responses.inputItems.list(id)).data.length > 0)
  const { input_tokens: tokens } = await ada.responses.inputTokens.count({
    model: 'plain',
    input: 'x',
    previous_response_id: id
  })
  assert.ok(tokens > 5)
  await ada.responses.delete(id)
  await assert.rejects(ada.responses.retrieve(id), notFound)
})
