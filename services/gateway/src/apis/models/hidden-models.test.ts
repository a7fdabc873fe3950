import assert from 'node:assert/strict'
import t from 'tap'
import { chatOf, post } from '../../testing/client.ts'
import { startFakeUpstream } from '../../testing/fake-upstream.ts'
import { startGateway, testCatalog } from '../../testing/start-gateway.ts'

const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='
const withPart = (part: object) => ({ messages: [{ role: 'user', content: [part] }] })

/** Members that a model may refuse. Each gets its own request. */
const members: Record<string, object> = {
  'nothing odd': {},
  'an unknown member': { top_k: 1 },
  'a member without a price': { service_tier: 'priority' },
  'other members without a price': { plugins: [{ id: 'web' }] },
  best_of: { best_of: 2 },
  'much output': { max_tokens: 1e9, n: 100 },
  'an image': withPart({ type: 'image_url', image_url: { url: pixel } }),
  'another file': withPart({ type: 'image_url', image_url: { url: 'data:text/plain;base64,eA==' } }),
  audio: withPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })
}

t.test('a caller cannot tell a model outside of the plan from one that does not exist', async (t) => {
  const upstream = await startFakeUpstream()
  const { images: _images, audio: _audio, ...textOnly } = testCatalog.models.large!
  const models = { ...testCatalog.models, large: textOnly, 'large writer': testCatalog.models.writer! }
  const gateway = await startGateway(upstream.url, { catalog: { ...testCatalog, models } })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })

  for (const isKnown of [false, true]) {
    for (const [name, more] of Object.entries(members)) {
      const answers = new Map<string, string>()
      for (const model of ['large', 'none', 'large writer', 'toString']) {
        const { secret } = await gateway.seedKey()
        if (isKnown) assert.equal((await post(gateway, secret, '/chat/completions', chatOf('small'))).status, 200)
        const answer = await post(gateway, secret, '/chat/completions', chatOf(model, more))
        answers.set(model, `${answer.status} ${[...answer.headers.keys()].sort()} ${await answer.text()}`)
      }
      assert.match(answers.get('none')!, /^403 .*"code":"model_not_allowed"/, name)
      assert.equal(new Set(answers.values()).size, 1, `${name}: ${[...answers].join('\n')}`)
    }
    for (const [path, body] of [
      ['/completions', { prompt: 'x', best_of: 3, top_k: 1 }],
      ['/embeddings', { input: 'x', top_k: 1 }]
    ] as const) {
      for (const model of ['large', 'none', 'large writer']) {
        const { secret } = await gateway.seedKey()
        const { status } = await post(gateway, secret, path, { model, ...body })
        assert.equal(status, 403, `${path} ${model}`)
      }
    }
  }
  const { secret } = await gateway.seedKey({ key: { models: ['renamed'] } })
  for (const model of ['renamed', 'small']) {
    const { status } = await post(gateway, secret, '/chat/completions', chatOf(model, { top_k: 1 }))
    assert.equal(status, model === 'renamed' ? 400 : 403, 'the models of the key count, too')
  }
})
