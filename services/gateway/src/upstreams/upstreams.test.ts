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
  t.throws(open('upstreams: ['), /upstreams\.yaml: /)
})
