import assert from 'node:assert/strict'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import type { Outcome } from './network.ts'
import { below, describeLeftOut, judgeRoutes, judgeUpstream } from './upstreams.ts'

const answer = (status: number): Outcome => ({ answer: { status, headers: {}, text: '', json: {}, skewMs: null } })

const cases: Array<[name: string, host: string, list: Outcome, expected: string[]]> = [
  ['a list', 'api.example.com', answer(200), []],
  ['a wrong key', 'api.example.com', answer(401), ['error upstream_key_refused']],
  ['a key without rights', 'api.example.com', answer(403), ['error upstream_key_refused']],
  ['no credit', 'api.example.com', answer(429), ['warning upstream_rate_limited']],
  ['a wrong path', 'api.example.com', answer(404), ['error upstream_not_found']],
  ['a deployment of Azure, which has no list', 'x.openai.azure.com', answer(404), ['warning upstream_not_found']],
  ['an outage', 'api.example.com', answer(503), ['error upstream_status']],
  ['silence', 'api.example.com', { failure: { kind: 'timeout', code: 'ABORT_ERR' } }, ['error upstream_unreachable']]
]

for (const [name, host, list, expected] of cases) {
  test(name, async () => {
    const results = judgeUpstream({ name: 'main', host, list, models: ['small'], unknownModels: [] })
    assert.deepEqual(
      results.flatMap((one) => ('code' in one ? [`${one.severity} ${one.code}`] : [])),
      expected
    )
  })
}

test('upstreams of the shipped catalog that are not set up are one line, and no problem', async () => {
  const catalog = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))
  const leftOut = ['anthropic', 'google', 'mistral', 'deepseek', 'groq', 'ollama', 'vllm']
  const [line, ...others] = describeLeftOut(catalog, leftOut)
  assert.deepEqual(others, [])
  const hidden = Object.values(catalog.models).filter(({ ownedBy }) => ownedBy !== 'openai').length
  assert.match(JSON.stringify(line), new RegExp(`left out: ${leftOut.join(', ')}\\. ${hidden} models of the catalog`))
  assert.deepEqual(describeLeftOut(catalog, []), [])
  assert.deepEqual(judgeRoutes(catalog, ['openai', ...leftOut]), [])
})

test('the path of a call comes before the query of the base URL', async () => {
  assert.equal(below(new URL('https://h/v1/'), 'models').href, 'https://h/v1/models')
  assert.equal(below(new URL('https://h/d/x?api-version=1'), 'models').href, 'https://h/d/x/models?api-version=1')
})
