import assert from 'node:assert/strict'
import t from 'tap'
import { startFakeUpstream } from '../../testing/fake-upstream.ts'
import { startGateway } from '../../testing/start-gateway.ts'

t.test('a key sees only the models that it may use', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const seeded = await gateway.seedKey({ account: { plan: 'free' } })
  const get = async (path: string) => {
    const response = await fetch(`${gateway.url}/v1/models${path}`, {
      headers: { authorization: `Bearer ${seeded.secret}` }
    })
    return { status: response.status, body: await response.json() }
  }
  const ids = async () => {
    const { body } = await get('')
    return (body as { data: Array<{ id: string }> }).data.map(({ id }) => id)
  }
  assert.deepEqual((await get('/small')).body, {
    id: 'small',
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'tests',
    endpoints: ['/v1/chat/completions']
  })
  assert.deepEqual(await ids(), ['small', 'renamed', 'writer', 'embedder'])
  assert.partialDeepStrictEqual(await get('/large'), { status: 403, body: { error: { code: 'model_not_allowed' } } })
  assert.partialDeepStrictEqual(await get('/none'), { status: 403, body: { error: { code: 'model_not_allowed' } } })
  await gateway.changeAccount(seeded, { plan: 'pro', status: 'active' })
  assert.deepEqual(await ids(), ['small', 'large', 'renamed', 'writer', 'embedder'])
  await gateway.changeKey(seeded, { models: ['large'] })
  assert.deepEqual(await ids(), ['large'])
  await gateway.changeKey(seeded, { status: 'revoked' })
  assert.partialDeepStrictEqual(await get(''), { status: 401, body: { error: { code: 'revoked_api_key' } } })
})

t.test('lists of models have a rate per key', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const [one, other] = [await gateway.seedKey(), await gateway.seedKey()]
  const list = async ({ secret }: typeof one) => {
    const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })
    await answer.text()
    return answer
  }
  for (let served = 0; served < 600; served += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => list(one)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  }
  const refused = await list(one)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal((await list(other)).status, 200)
})
