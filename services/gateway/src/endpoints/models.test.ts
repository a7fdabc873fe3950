import assert from 'node:assert/strict'
import t from 'tap'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'

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
