import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { openUpstreams } from './upstreams.ts'

t.test('the shipped upstreams file opens with the variables that it names', async (t) => {
  const shipped = fileURLToPath(new URL('../../../../deploy/upstreams.yaml', import.meta.url))
  t.equal(openUpstreams(shipped, { OPENAI_API_KEY: 'sk-x' }).get('openai')!.credential, 'sk-x')
  const local = await startFakeUpstream()
  const { pool } = openUpstreams(shipped, { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: `${local.url}/api/v1/` }).get(
    'openai'
  )!
  await new Promise<void>((resolve, reject) =>
    pool.dispatch(
      { path: '/chat/completions', requestId: 'req_1', body: Buffer.from('{}') },
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
  t.equal(body, '{}')
  t.equal(request.url, '/api/v1/chat/completions')
  t.match(request.headers, {
    host: new URL(local.url).host,
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    authorization: 'Bearer sk-x'
  })
  await pool.close()
  await local.close()
  t.throws(() => openUpstreams(shipped, {}), /OPENAI_API_KEY: missing/)
  t.throws(
    () => openUpstreams(shipped, { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: 'nonsense' }),
    /OPENAI_BASE_URL: not an/
  )
})

t.test('what is known of who bills aborted streams holds unless the file says otherwise', async (t) => {
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
    t.equal(openUpstreams(file, {}).get('a')!.abortStopsBilling, expected, `${url} ${said}`)
  }
})

t.test('a mistake is named by file, path and reason, and a credential never appears', async (t) => {
  const file = join(t.testdir(), 'upstreams.yaml')
  const open = (yaml: string) => () => {
    writeFileSync(file, yaml)
    openUpstreams(file, {})
  }
  t.throws(open('upstreams: { a: { base_url: "ftp://x" } }'), /upstreams\.yaml: upstreams\.a\.base_url: must match/)
  t.throws(open('upstreams: { a: { base_url: "http://x", key: s3cret } }'), {
    message: /upstreams\.a: unknown member key$/
  })
  t.throws(open('upstreams: { a: { base_url: "http://x", members: all } }'), /upstreams\.a\.members: must/)
  t.throws(open('upstreams: { a: { base_url: "http://x", members: [7] } }'), /upstreams\.a\.members\.0: must/)
  t.throws(open('upstreams: { a: { base_url: "http://x", unknown: refuse } }'), /upstreams\.a\.unknown: must/)
  t.throws(open('upstreams: { a: { base_url: "http://x", members: [top_k], unknown: pass } }'), {
    message: /upstreams\.a\.members: has no effect beside "unknown: pass"/
  })
  t.throws(open('upstreams: ['), /upstreams\.yaml: /)
})
