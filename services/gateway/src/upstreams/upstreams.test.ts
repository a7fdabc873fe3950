import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import t from 'tap'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { openUpstreams } from './upstreams.ts'

t.test('the shipped upstreams file works with the variables that it names', async () => {
  const shipped = workspaceFile('deploy/upstreams.yaml')
  assert.equal(openUpstreams(shipped, { OPENAI_API_KEY: 'sk-x' }).get('openai')!.credential, 'sk-x')
  const local = await startFakeUpstream()
  const { pool } = openUpstreams(shipped, { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: `${local.url}/api/v1/` }).get(
    'openai'
  )!
  await new Promise<void>((resolve, reject) =>
    pool.dispatch(
      { path: '/chat/completions', requestId: 'req_1', trace: null, fields: [], body: Buffer.from('{}') },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: () => resolve(),
        onResponseError: (_, error) => reject(error)
      }
    )
  )
  const { request, body } = local.received[0]!
  assert.equal(body, '{}')
  assert.equal(request.url, '/api/v1/chat/completions')
  assert.partialDeepStrictEqual(request.headers, {
    host: new URL(local.url).host,
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    authorization: 'Bearer sk-x'
  })
  await pool.close()
  await local.close()
  assert.throws(
    () => openUpstreams(shipped, { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: 'nonsense' }),
    /OPENAI_BASE_URL: not an/
  )
})

t.test('known providers bill aborted streams unless the file says otherwise', async (t) => {
  const file = join(t.testdir(), 'upstreams.yaml')
  for (const [url, said, expected] of [
    ['https://api.openai.com/v1', null, true],
    ['http://127.0.0.1:11434/v1', null, true],
    ['https://generativelanguage.googleapis.com/v1beta/openai', null, false],
    ['https://api.groq.com/openai/v1', null, false],
    ['https://api.mistral.ai/v1', null, false],
    ['https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1', null, false],
    ['https://notgroq.com/v1', null, true],
    ['https://api.groq.com/openai/v1', true, true],
    ['https://api.openai.com/v1', false, false]
  ] as const) {
    writeFileSync(
      file,
      JSON.stringify({ upstreams: { a: { base_url: url, ...(said !== null && { abort_stops_billing: said }) } } })
    )
    assert.equal(openUpstreams(file, {}).get('a')!.abortStopsBilling, expected, `${url} ${said}`)
  }
})

t.test('an error names the file, path and reason, and never a credential', async (t) => {
  const file = join(t.testdir(), 'upstreams.yaml')
  const open = (yaml: string) => () => {
    writeFileSync(file, yaml)
    openUpstreams(file, {})
  }
  assert.throws(
    open('upstreams: { a: { base_url: "ftp://x" } }'),
    /upstreams\.yaml: upstreams\.a\.base_url: must match/
  )
  assert.throws(open('upstreams: { a: { base_url: "http://x", key: s3cret } }'), {
    message: /upstreams\.a: unknown member key$/
  })
  assert.throws(open('upstreams: { a: { base_url: "http://x", members: all } }'), /upstreams\.a\.members: must/)
  assert.throws(open('upstreams: { a: { base_url: "http://x", members: [7] } }'), /upstreams\.a\.members\.0: must/)
  assert.throws(open('upstreams: { a: { base_url: "http://x", unknown: refuse } }'), /upstreams\.a\.unknown: must/)
  assert.throws(open('upstreams: { a: { base_url: "http://x", members: [top_k], unknown: pass } }'), {
    message: /upstreams\.a\.members: has no effect beside "unknown: pass"/
  })
  assert.throws(open('upstreams: ['), /upstreams\.yaml: /)
})

t.test('every call has the query of the base URL after the endpoint’s path', async (t) => {
  const file = join(t.testdir(), 'upstreams.yaml')
  const local = await startFakeUpstream()
  const call = async (baseUrl: string) => {
    writeFileSync(file, JSON.stringify({ upstreams: { azure: { base_url: baseUrl } } }))
    const { pool } = openUpstreams(file, {}).get('azure')!
    for (const path of ['/chat/completions', '/embeddings']) {
      await new Promise<void>((resolve, reject) =>
        pool.dispatch(
          { path, requestId: 'req_1', trace: null, fields: [], body: '{}' },
          {
            onRequestStart() {},
            onResponseStart() {},
            onResponseData() {},
            onResponseEnd: () => resolve(),
            onResponseError: (_, error) => reject(error)
          }
        )
      )
    }
    await pool.close()
    return local.received.splice(0).map(({ request }) => request.url)
  }
  const deployment = '/openai/deployments/gpt-4o'
  assert.deepEqual(await call(`${local.url}${deployment}?api-version=2024-10-21`), [
    `${deployment}/chat/completions?api-version=2024-10-21`,
    `${deployment}/embeddings?api-version=2024-10-21`
  ])
  assert.deepEqual(await call(`${local.url}/v1/?a=b c&d=é`), [
    '/v1/chat/completions?a=b%20c&d=%C3%A9',
    '/v1/embeddings?a=b%20c&d=%C3%A9'
  ])
  assert.deepEqual(await call(`${local.url}?`), ['/chat/completions', '/embeddings'])
  await local.close()
})

t.test('a base URL with a fragment or credentials is rejected, and the error does not repeat it', async (t) => {
  const file = join(t.testdir(), 'upstreams.yaml')
  const open = (baseUrl: string, env: Record<string, string> = {}) => {
    writeFileSync(file, JSON.stringify({ upstreams: { a: { base_url: baseUrl, base_url_variable: 'A_URL' } } }))
    return openUpstreams(file, env)
  }
  for (const url of ['https://x/v1?key=s3cret#part', 'https://x/v1#', 'https://s3cret@x/v1', 'https://u:s3cret@x/v1']) {
    assert.throws(() => open(url), { message: /upstreams\.a\.base_url: must not have a/ }, url)
    assert.throws(() => open('https://x/v1', { A_URL: url }), { message: /A_URL: must not have a .*upstream a/ }, url)
    try {
      open(url)
    } catch (error) {
      assert.doesNotMatch(String(error), /s3cret/)
    }
  }
  assert.throws(() => open('https://'), { message: /upstreams\.a\.base_url: not an http\(s\) URL/ })
})

t.test(
  'an upstream of Anthropic’s API is asked for its models with a version, and its betas and headers are checked',
  async (t) => {
    const file = join(t.testdir(), 'upstreams.yaml')
    const open = (members: string) => {
      writeFileSync(file, `upstreams: { a: { base_url: 'https://api.example.com/v1', ${members} } }`)
      return openUpstreams(file, {}).get('a')!
    }
    const { models, betas } = open('speaks: [messages], betas: [context-1m-2025-08-07]')
    assert.deepEqual(models.headers, { 'anthropic-version': '2023-06-01' })
    assert.deepEqual([...betas], ['context-1m-2025-08-07'])
    assert.deepEqual(open('speaks: [chat]').models.headers, {})
    assert.throws(() => open('speaks: [chat], betas: [a]'), /a\.betas: has no effect/)
    assert.throws(() => open('speaks: [messages], betas: ["a b"]'), /betas/)
    for (const header of ['Anthropic-Version', 'anthropic-beta']) {
      assert.throws(() => open(`headers: { ${header}: '2023-06-01' }`), /the gateway sets it itself/)
    }
  }
)
