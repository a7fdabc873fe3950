import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openUpstreams } from './upstreams.ts'

t.test('the shipped upstreams file opens with the variables that it names', async (t) => {
  const shipped = fileURLToPath(new URL('../../../../deploy/upstreams.yaml', import.meta.url))
  const openai = openUpstreams(shipped, { OPENAI_API_KEY: 'sk-x' }).get('openai')!
  t.equal(openai.pathPrefix, '/v1')
  t.strictSame(openai.headers, ['content-type', 'application/json', 'authorization', 'Bearer sk-x'])
  const local = openUpstreams(shipped, { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: 'http://127.0.0.1:11434/api/v1/' })
  t.equal(local.get('openai')!.pathPrefix, '/api/v1')
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
