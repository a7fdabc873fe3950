import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import t from 'tap'
import { messagesFile, startMessages } from '../../testing/message-answers.ts'
import { type TestGateway, testCatalog } from '../../testing/start-gateway.ts'

const { small } = testCatalog.models
const names = ['a', 'b', 'vendor/c', 'd', 'e']
const catalog = {
  models: {
    ...Object.fromEntries(names.map((name) => [name, small!])),
    chat: { ...small!, route: [{ ...small!.route[0]!, upstream: 'other' }] }
  },
  plans: { free: { ...testCatalog.plans.free!, models: [...names, 'chat'] } }
}

let gateway: TestGateway
let secret = ''
t.before(async () => {
  const started = await startMessages({ catalog })
  ;({ gateway } = started)
  t.teardown(started.close)
  const { url } = started.upstream
  gateway.writeUpstreams(messagesFile(url).replace(/ \}$/, `, other: { base_url: '${url}/v1', speaks: [chat] } }`))
  await gateway.reloadUpstreams()
  secret = (await gateway.seedKey()).secret
})

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${gateway.url}/v1/models${path}`, {
    headers: { 'x-api-key': secret, 'anthropic-version': '2023-06-01', ...headers }
  })
  return { status: response.status, body: await response.json() }
}

t.test("Anthropic's SDK lists the models of its API, page by page", async () => {
  const client = new Anthropic({ apiKey: secret, baseURL: gateway.url })
  const listed: string[] = []
  for await (const { id } of client.models.list({ limit: 2 })) listed.push(id)
  assert.deepEqual(listed, names)
  assert.partialDeepStrictEqual(await client.models.retrieve('vendor/c'), {
    type: 'model',
    id: 'vendor/c',
    display_name: 'vendor/c',
    created_at: '2023-11-14T22:13:20.000Z',
    max_input_tokens: 128_000,
    max_tokens: 16_384
  })
})

t.test('pages go forward and back', async () => {
  const page = async (query: string) => {
    const { body } = await get(query)
    const { data, has_more, first_id, last_id } = body as {
      data: Array<{ id: string }>
      has_more: boolean
      first_id: string | null
      last_id: string | null
    }
    assert.deepEqual([first_id, last_id], [data[0]?.id ?? null, data.at(-1)?.id ?? null])
    return [data.map(({ id }) => id).join(), has_more]
  }
  assert.deepEqual(await page(''), ['a,b,vendor/c,d,e', false])
  assert.deepEqual(await page('?limit=1000'), ['a,b,vendor/c,d,e', false])
  assert.deepEqual(await page('?limit=2'), ['a,b', true])
  assert.deepEqual(await page('?limit=2&after_id=b'), ['vendor/c,d', true])
  assert.deepEqual(await page('?limit=2&after_id=vendor%2Fc'), ['d,e', false])
  assert.deepEqual(await page('?after_id=e'), ['', false])
  assert.deepEqual(await page('?limit=2&before_id=d'), ['b,vendor/c', true])
  assert.deepEqual(await page('?limit=2&before_id=a'), ['', false])
})

t.test('a wrong page and an unknown model get errors of the API', async () => {
  for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?after_id=none', '?before_id=chat']) {
    assert.partialDeepStrictEqual(
      await get(query),
      { status: 400, body: { type: 'error', error: { type: 'invalid_request_error' } } },
      query
    )
  }
  for (const model of ['none', 'chat']) {
    assert.partialDeepStrictEqual(await get(`/${model}`), {
      status: 403,
      body: { error: { type: 'permission_error', details: { error_code: 'model_not_allowed' } } }
    })
  }
})

t.test('without the version, the list is that of OpenAI’s API, and x-api-key is not read', async () => {
  const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })
  const { object, data } = (await response.json()) as {
    object: string
    data: Array<{ id: string; endpoints: string[] }>
  }
  assert.equal(object, 'list')
  assert.deepEqual(data.at(0)?.endpoints, ['/v1/messages'])
  assert.deepEqual(data.at(-1)?.endpoints, ['/v1/chat/completions'])
  assert.equal((await fetch(`${gateway.url}/v1/models`, { headers: { 'x-api-key': secret } })).status, 401)
})
