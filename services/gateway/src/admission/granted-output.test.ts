import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, plainEmbedding, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'
import { leastOutput, shrinkOutput } from './cost-bound.ts'

const { small, writer, embedder } = testCatalog.models as Record<
  'small' | 'writer' | 'embedder',
  Catalog['models'][string]
>
const free = testCatalog.plans.free!
const outputNanos = small.prices.outputPicos / 1000
const defaultTokens = small.defaultOutputTokens
const ratePerMinute = 2000

const catalog: Catalog = {
  models: {
    small,
    writer,
    embedder,
    counted: { ...small, tokenizer: 'o200k_base' },
    modern: { ...small, route: [{ ...small.route[0]!, model: 'modern' }], outputParameter: 'max_completion_tokens' }
  },
  plans: {
    free: { ...free, models: ['small', 'writer', 'embedder', 'counted', 'modern'] },
    slow: {
      ...free,
      models: ['small', 'counted'],
      limits: { ...free.limits, tokensPerMinute: ratePerMinute, burstTokens: 1500 }
    },
    tiny: { ...free, models: ['small'], limits: { ...free.limits, tokensPerMinute: 300, burstTokens: 300 } }
  }
}

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url, { catalog })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})
t.beforeEach(() => {
  upstream.answer(({ request, response }) => {
    response.setHeader('content-type', 'application/json')
    response.end(
      request.url!.endsWith('/embeddings')
        ? plainEmbedding
        : '{"choices":[{"message":{}}],"usage":{"prompt_tokens":10,"completion_tokens":20}}'
    )
  })
})

const chat = (seeded: SeededKey, members: object = {}, model = 'small') =>
  post(gateway, seeded.secret, '/chat/completions', chatOf(model, members))
const header = 'x-tollgate-granted-output-tokens'
const forwarded = () => upstream.received.at(-1)!.body
/** The granted output by the answer. The provider must have got the same limit. */
function grantedBy(response: Response, parameter = 'max_tokens'): number {
  const granted = Number(response.headers.get(header))
  assert.equal(Reflect.get(JSON.parse(forwarded()), parameter), granted)
  return granted
}

t.test('every answer to an admitted chat or completion names its granted output', async () => {
  const seeded = await gateway.seedKey()
  assert.equal(grantedBy(await chat(seeded)), defaultTokens)
  assert.equal(grantedBy(await chat(seeded, { max_tokens: 7 })), 7)
  assert.equal(grantedBy(await chat(seeded, { max_tokens: 1e6 })), small.maxOutputTokens)
  assert.equal(grantedBy(await chat(seeded, {}, 'modern'), 'max_completion_tokens'), defaultTokens)
  const completion = { model: 'writer', prompt: 'Once', max_tokens: 3 }
  assert.equal(grantedBy(await post(gateway, seeded.secret, '/completions', completion)), 3)
  const embedding = await post(gateway, seeded.secret, '/embeddings', { model: 'embedder', input: 'x' })
  assert.equal(embedding.headers.get(header), null)

  upstream.answer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choices":[]}\n\ndata: [DONE]\n\n')
  })
  assert.equal(grantedBy(await chat(seeded, { stream: true, max_tokens: 9 })), 9)
  upstream.answer(({ response }) => response.writeHead(400).end('{"error":{"message":"no"}}'))
  assert.equal(grantedBy(await chat(seeded, { max_tokens: 9 })), 9, 'also if the provider refuses the request')
  assert.equal((await chat(seeded, { n: 1000 })).headers.get(header), null, 'not without admission')
})

t.test('a page of another origin can read the granted output', async () => {
  const { secret } = await gateway.seedKey()
  const headers = { authorization: `Bearer ${secret}`, origin: 'https://app.example' }
  const response = await post(gateway, null, '/chat/completions', chatOf('small'), { headers })
  assert.ok(response.headers.get('access-control-expose-headers')!.includes(header))
})

t.test('a budget lowers the client’s output limit for each of several answers, and the answer names it', async () => {
  const seeded = await gateway.seedKey()
  const wanted = { n: 4, max_tokens: 200 }
  const promptNanos = ((JSON.stringify(chatOf('small', wanted)).length + 8) * small.prices.inputPicos) / 1000
  await gateway.changeKey(seeded, { monthlyBudgetNanos: promptNanos + 4 * 50 * outputNanos })
  assert.equal(grantedBy(await chat(seeded, wanted)), 50)
})

t.test('an output limit that is not lowered passes byte for byte under the model’s own parameter', async () => {
  const seeded = await gateway.seedKey()
  const messages = '"messages":[{"role":"user","content":"x"}]'
  for (const [model, limit] of [
    ['small', ' "max_tokens" : 7 '],
    ['small', '"max_completion_tokens":null,"max_tokens":7'],
    ['modern', '"max\\u005fcompletion_tokens"\n:7, "max_tokens": null']
  ]) {
    for (const body of [`{"model":"${model}", ${messages},${limit}}`, `{${limit} ,"model":"${model}",${messages}}`]) {
      const response = await post(gateway, seeded.secret, '/chat/completions', body)
      assert.equal(response.headers.get(header), '7')
      assert.equal(forwarded(), body)
    }
  }
})

t.test('a set or renamed limit reaches the provider once, and all other members stay unchanged', async () => {
  const seeded = await gateway.seedKey()
  const values = {
    metadata: '{ "a" : "}," }',
    temperature: '0.10',
    user: '"\\u0061,\\""',
    seed: '9007199254740993123'
  }
  const limit = fc.option(fc.integer({ min: 1, max: 30_000 }), { nil: undefined })
  const space = fc.constantFrom('', ' ', '\n\t')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('small', 'modern'),
      limit,
      limit,
      fc.shuffledSubarray(['metadata', 'temperature', 'user', 'seed'] as const),
      fc.nat(),
      space,
      space,
      async (model, older, newer, names, order, before, behind) => {
        const members: Array<[string, string]> = names.map((name) => [name, values[name]])
        if (older !== undefined) members.splice(order % (members.length + 1), 0, ['max_tokens', `${older}`])
        if (newer !== undefined) members.splice(order % (members.length + 1), 0, ['max_completion_tokens', `${newer}`])
        members.splice(order % (members.length + 1), 0, ['model', `"${model}"`])
        members.splice((order * 7) % (members.length + 1), 0, ['messages', '[{"role":"user","content":"x"}]'])
        const texts = members.map(([name, value]) => `${before}"${name}"${behind}:${before}${value}${behind}`)
        const response = await post(gateway, seeded.secret, '/chat/completions', `{${texts.join(',')}}`)
        assert.equal(response.status, 200, await response.text())
        const [own, other] =
          model === 'small' ? ['max_tokens', 'max_completion_tokens'] : ['max_completion_tokens', 'max_tokens']
        const granted = Math.min(newer ?? older ?? defaultTokens, small.maxOutputTokens)
        assert.equal(response.headers.get(header), String(granted))
        const left = Object.entries(JSON.parse(forwarded()) as object).filter(([name]) => name !== own)
        const expected = members.filter(([name]) => name !== own && name !== other)
        assert.deepEqual(
          left,
          expected.map(([name, value]) => [name, JSON.parse(value)])
        )
        assert.equal(forwarded().split(`"${own}"`).length, 2)
        assert.match(forwarded(), new RegExp(`"${own}"\\s*:\\s*${granted}\\b`))
        for (const [name, value] of expected)
          assert.ok(forwarded().includes(`"${name}"${behind}:${before}${value}${behind}`))
      }
    ),
    propertyRuns(40, 100)
  )
})

/** Requests wait at the upstream, and hold their tokens, until they are all answered. */
function holdAnswers(): { waits: (count: number) => Promise<void>; answer: () => void } {
  const waiting: Array<() => void> = []
  let isOpen = false
  let onCall = () => {}
  upstream.answer(({ response }) => {
    const end = () =>
      response.setHeader('content-type', 'application/json').end('{"choices":[{}],"usage":{"prompt_tokens":1}}')
    if (isOpen) end()
    else waiting.push(end)
    onCall()
  })
  return {
    async waits(count) {
      while (waiting.length < count) {
        await new Promise<void>((resolve) => {
          onCall = resolve
        })
      }
    },
    answer() {
      isOpen = true
      for (const end of waiting) end()
    }
  }
}

t.test(
  'a default output shrinks to the remaining tokens but keeps a quarter; a client’s limit keeps the default',
  async () => {
    const seeded = await gateway.seedKey({ account: { plan: 'slow' } })
    const held = holdAnswers()
    const first = chat(seeded, { max_tokens: 700 })
    await held.waits(1)
    const shrunk = chat(seeded)
    await held.waits(2)
    const { max_tokens: granted } = JSON.parse(forwarded()) as { max_tokens: number }
    assert.ok(granted >= 250 && granted < defaultTokens, `${granted}`)

    const seconds = async (members: object) => {
      const refused = await chat(seeded, members)
      const wait = Number(refused.headers.get('retry-after'))
      const { error } = (await refused.clone().json()) as { error: { message: string } }
      const output = 'max_tokens' in members ? '1,000' : '250'
      assert.match(
        error.message,
        new RegExp(`needs [\\d,]+ tokens, ${output} of them for the output, and \\d+ are left`)
      )
      assert.equal(await outcomeOf(refused), '429 tokens_per_minute')
      return wait
    }
    // A token returns in 30 ms. A quarter of the default and the prompt are about 320 tokens.
    const wait = await seconds({})
    assert.ok(wait >= 1 && wait <= 10, `${wait} s for a quarter of the default`)
    const longer = await seconds({ max_tokens: defaultTokens })
    assert.ok(longer > 15, `${longer} s for what the client asks for`)
    assert.equal(await seconds({ max_tokens: 1e5 }), longer, 'for the default, if the client asks for more')
    held.answer()
    assert.equal((await shrunk).headers.get(header), String(granted))
    assert.equal((await first).headers.get(header), '700')
    await gateway.settled()
    assert.equal((await chat(seeded)).headers.get(header), String(defaultTokens), 'unused tokens return')
  }
)

t.test('requests in a row that ask for the model’s maximum are admitted while the default fits', async () => {
  const seeded = await gateway.seedKey({ account: { plan: 'slow' } })
  const limits = { max_tokens: 1e6 }
  assert.ok(grantedBy(await chat(seeded, limits)) > 1500)
  await gateway.settled()
  const granted = grantedBy(await chat(seeded, limits))
  assert.ok(granted >= defaultTokens && granted < 1500, `${granted}`)
})

t.test('a long prompt is counted before a default output shrinks', async () => {
  const seeded = await gateway.seedKey({ account: { plan: 'slow' } })
  const held = holdAnswers()
  const first = chat(seeded, { max_tokens: 700 })
  await held.waits(1)
  const messages = [{ role: 'user', content: 'word '.repeat(120) }]
  const long = chat(seeded, { messages }, 'counted')
  await held.waits(2)
  held.answer()
  const [{ headers }] = await Promise.all([long, first])
  assert.ok(Number(headers.get(header)) > 400, `${headers.get(header)}`)
})

t.test('a default output never exceeds the tokens per minute', async () => {
  const seeded = await gateway.seedKey({ account: { plan: 'tiny' } })
  const granted = grantedBy(await chat(seeded))
  assert.ok(granted >= small.fewestOutputTokens && granted < 300, `${granted}`)
})

t.test('an output that waits passes once its useful part fits, and not earlier', (t) => {
  const whole = fc.integer({ min: 1, max: 1e6 })
  fc.assert(
    fc.property(
      whole,
      fc.nat({ max: 1e6 }),
      fc.nat({ max: 1e5 }),
      whole,
      fc.integer({ min: 1, max: 8 }),
      fc.nat({ max: 60_000 }),
      fc.boolean(),
      fc.nat({ max: 1e5 }),
      (tokens, burst, promptTokens, wantedTokens, outputTokens, tokensRestMs, isDefault, defaultOutputTokens) => {
        const tokenBurst = Math.min(burst + 1, tokens)
        const minTokens = Math.min(16, wantedTokens)
        const bound = { promptPicos: 0, outputPicos: 0, promptTokens, wantedTokens, outputTokens, minTokens }
        const owed = (tokensRestMs * tokens) / 60_000
        const tokensLeft = Math.max(0, Math.floor(tokenBurst - owed))
        const rates = { requests: 1, requestsLeft: 1, requestsRestMs: 0, tokensLeft, tokensRestMs }
        const refusal = {
          outcome: 'over-limit',
          limit: 'tokens',
          window: null,
          waitMs: tokensRestMs,
          ...rates
        } as const
        const output = leastOutput(bound, isDefault, { defaultOutputTokens })
        const answer = shrinkOutput(bound, output, refusal, { tokens, tokenBurst })
        if (output === wantedTokens) return assert.deepEqual(answer, refusal)
        const least = promptTokens + outputTokens * output
        const fits = (ms: number) => {
          const owedThen = Math.max(0, owed - (ms * tokens) / 60_000)
          return owedThen < 1e-6 || least <= tokenBurst - owedThen + 1e-6
        }
        if (typeof answer === 'number') {
          assert.ok(answer <= wantedTokens && promptTokens + outputTokens * answer <= tokensLeft)
          assert.ok(promptTokens + outputTokens * answer >= least)
        } else {
          assert.ok(fits(answer.waitMs), 'passes then')
          assert.ok(answer.waitMs < 2 || !fits(answer.waitMs - 2), 'not before')
        }
      }
    )
  )
  t.end()
})
