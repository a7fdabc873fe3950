import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { catalogOf, startGateway, type TestGateway } from '../testing/start-gateway.ts'
import { chatCompletions } from './chat/chat-completions.ts'
import { completions } from './completions/completions.ts'
import { embeddings } from './embeddings/embeddings.ts'
import { responses } from './responses/responses.ts'

/** Members of other APIs that could change the model, provider, address, key or price. */
const bypasses = {
  models: ['large'],
  fallbacks: ['large'],
  provider: { order: ['other'] },
  route: 'fallback',
  transforms: ['middle-out'],
  api_base: 'http://example.com',
  base_url: 'http://example.com',
  api_key: 'sk-x',
  extra_body: { model: 'large' },
  extra_headers: { authorization: 'Bearer x' },
  enable_search: true,
  reasoning: { max_tokens: 100_000 },
  max_output_tokens: 100_000,
  num_predict: 100_000
}

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  const entry = (more: string) => `{ base_url: '${upstream.url}/v1'${more} }`
  const upstreamsFile = `upstreams:
  plain: ${entry(', speaks: [chat, completions, embeddings, responses]')}
  openai: ${entry(', members: openai')}
  vllm: ${entry(', members: [top_k, min_p, chatTemplate]')}
  ollama: ${entry(', members: [top_k, keep_alive]')}
  open: ${entry(', unknown: pass')}
`
  const catalog: Catalog = catalogOf({
    plain: [{ upstream: 'plain' }],
    openai: [{ upstream: 'openai' }],
    vllm: [{ upstream: 'vllm' }],
    open: [{ upstream: 'open' }],
    both: [{ upstream: 'vllm' }, { upstream: 'ollama', priority: 1 }],
    backed: [{ upstream: 'vllm' }, { upstream: 'plain', priority: 1 }],
    eased: [{ upstream: 'vllm' }, { upstream: 'open', priority: 1 }]
  })
  for (const kind of ['completion', 'embedding'] as const) {
    catalog.models[kind] = { ...catalog.models.plain!, kind }
    catalog.plans.free!.models.push(kind)
  }
  gateway = await startGateway(upstream.url, { upstreamsFile, catalog })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

/** Each call has its own key, because refusals may count against the rate limit of a key. */
const send = async (path: string, body: unknown) => post(gateway, (await gateway.seedKey()).secret, path, body)
const chat = (model: string, members: object) => send('/chat/completions', chatOf(model, members))

t.test('a member that OpenAI does not document is refused unless the list of the upstream has it', async () => {
  for (const model of ['plain', 'openai', 'vllm', 'both', 'backed', 'eased']) {
    for (const [name, value] of Object.entries(bypasses)) {
      const before = upstream.received.length
      const response = await chat(model, { [name]: value })
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      assert.equal(`${response.status} ${error.code}`, '400 invalid_request', `${model} ${name}`)
      assert.ok(error.message.startsWith(`${name}: `), error.message)
      assert.equal(upstream.received.length, before)
    }
  }
})

t.test('a listed member passes only if every upstream of the route accepts it', async () => {
  for (const [model, accepted, refused] of [
    ['plain', [], ['top_k', 'min_p', 'keep_alive', 'chatTemplate']],
    ['openai', [], ['top_k', 'min_p', 'keep_alive', 'chatTemplate']],
    ['vllm', ['top_k', 'min_p', 'chatTemplate'], ['keep_alive', 'chattemplate', 'Top_K', 'top_k ', 'toString']],
    ['both', ['top_k'], ['min_p', 'keep_alive', 'chatTemplate']],
    ['backed', [], ['top_k', 'min_p', 'keep_alive']],
    ['eased', ['top_k', 'min_p'], ['keep_alive', 'models']],
    ['open', ['top_k', 'keep_alive', 'models', 'Temperature', 'future'], []]
  ] as const) {
    for (const name of accepted)
      assert.equal(await outcomeOf(await chat(model, { [name]: 1 })), '200', `${model} ${name}`)
    for (const name of refused) {
      assert.equal(await outcomeOf(await chat(model, { [name]: 1 })), '400 invalid_request', `${model} ${name}`)
    }
  }
})

t.test('a member without a price is refused as unpriced, even if an upstream’s list has it', async () => {
  for (const model of ['plain', 'vllm', 'open']) {
    for (const members of [{ plugins: [{ id: 'web' }] }, { speed: 'fast' }, { best_of: 3 }, { n_predict: 9 }]) {
      assert.equal(
        await outcomeOf(await chat(model, members)),
        '400 unpriced_parameter',
        `${model} ${Object.keys(members)}`
      )
    }
  }
})

t.test('every member that OpenAI documents for an endpoint passes there, even as null', async () => {
  const embedding = { model: 'embedding', input: 'x' }
  for (const [{ path, members }, required] of [
    [chatCompletions, chatOf('plain') as Record<string, unknown>],
    [completions, { model: 'completion', prompt: 'x' }],
    [embeddings, embedding],
    [responses, { model: 'plain', input: 'x' }]
  ] as const) {
    const all = Object.fromEntries([...members].map((name) => [name, null]))
    assert.equal((await send(path, { ...all, ...required })).status, 200, path)
  }
  const foreign = { ...embedding, messages: [] }
  assert.equal(await outcomeOf(await send('/embeddings', foreign)), '400 invalid_request')
})

t.test('no other name passes, in any spelling of a documented one', async () => {
  const documented = [...chatCompletions.members]
  const spelling = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(...documented).map((name) => name.toUpperCase()),
    fc.constantFrom(...documented).map((name) => ` ${name}`),
    fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty', '')
  )
  const before = upstream.received.length
  await fc.assert(
    fc.asyncProperty(
      spelling.filter((name) => !documented.includes(name)),
      async (name) => {
        const body = `{${JSON.stringify(name)}:null,"model":"plain","messages":[{"role":"user","content":"x"}]}`
        const outcome = await outcomeOf(await send('/chat/completions', body))
        assert.match(outcome, /^400 (invalid_request|unpriced_parameter)$/, name)
      }
    ),
    propertyRuns(30, 100)
  )
  assert.equal(upstream.received.length, before)
})
