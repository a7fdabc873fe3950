import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { readText } from '@tollgate/service/config/read-yaml.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import t from 'tap'
import { viewOf } from '../catalog/live-catalog.ts'
import { Offers } from './offers.ts'
import { openUpstream } from './upstreams.ts'
import { inspectUpstreamsFile, readUpstreamsFile } from './upstreams-file.ts'

const catalog = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))
const shipped = workspaceFile('deploy/upstreams.yaml')
const { names, variables } = inspectUpstreamsFile(shipped, {})
const everything = {
  ...Object.fromEntries(variables.map((name) => [name, name.endsWith('_URL') ? 'http://127.0.0.1:1/v1' : 'key'])),
  OPENAI_BASE_URL: 'https://api.openai.com/v1'
}

/** The models of the shipped catalog that a gateway with these variables offers, with their APIs. */
function offered(env: Record<string, string>, file = shipped): Map<string, string[]> {
  const { settings, leftOut } = readUpstreamsFile(file, env)
  const upstreams = new Map(settings.map((one) => [one.name, openUpstream(one)]))
  const offers = new Offers(upstreams, new Set(leftOut))
  const view = offers.viewOf(viewOf(1, catalog))
  return new Map([...view.models()].map(([name, model]) => [name, [...offers.of(model).keys()]]))
}

t.test(
  'each model of the shipped catalog has a route in the shipped upstreams, at an API that it can use',
  async () => {
    const offers = offered(everything)
    assert.deepEqual([...offers.keys()], Object.keys(catalog.models))
    for (const [name, apis] of offers) assert.ok(apis.length > 0, name)
    assert.deepEqual(offers.get('claude-opus-5-5'), ['messages'])
    assert.deepEqual(offers.get('gpt-6.2-sol'), ['chat', 'responses'])
    assert.deepEqual(offers.get('gemini-4-carbon'), ['chat'])
    assert.deepEqual(offers.get('local/qwen3-8b-completions'), ['completions'])
  }
)

t.test('with the key of one provider, exactly its models are offered', async () => {
  for (const [name, owner] of [
    ['OPENAI_API_KEY', 'openai'],
    ['ANTHROPIC_API_KEY', 'anthropic'],
    ['GEMINI_API_KEY', 'google'],
    ['MISTRAL_API_KEY', 'mistral'],
    ['DEEPSEEK_API_KEY', 'deepseek'],
    ['GROQ_API_KEY', 'groq']
  ] as const) {
    const expected = Object.keys(catalog.models).filter((model) => catalog.models[model]!.ownedBy === owner)
    assert.deepEqual([...offered({ [name]: 'key' }).keys()], expected, name)
  }
  const local = [...offered({ OLLAMA_BASE_URL: 'http://127.0.0.1:11434/v1' }).keys()]
  assert.deepEqual(local, ['local/gpt-oss-20b', 'local/embeddinggemma'])
})

t.test('without any key, the error names what to set', async () => {
  assert.throws(() => readUpstreamsFile(shipped, {}), {
    message:
      /upstreams\.yaml: no upstream is set up\. Give at least one of these a value: OPENAI_API_KEY, ANTHROPIC_API_KEY, /
  })
  assert.throws(() => readUpstreamsFile(shipped, { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }), {
    message: /OPENAI_API_KEY: missing \(credential of upstream openai\)/
  })
})

t.test('the files for Kubernetes and systemd have the same upstreams, each with its own file', async (t) => {
  for (const [path, folder] of [
    ['deploy/kubernetes/base/upstreams.yaml', '/run/secrets/tollgate'],
    ['deploy/systemd/upstreams.yaml', '/etc/tollgate/credentials']
  ] as const) {
    const directory = t.testdir({ mistral: 'key\n' })
    const file = join(directory, 'upstreams.yaml')
    writeFileSync(file, readText(workspaceFile(path)).replaceAll(folder, directory))
    const read = inspectUpstreamsFile(file, {})
    assert.deepEqual(read.names, names)
    assert.deepEqual(
      read.settings.map(({ name, credential }) => [name, credential]),
      [['mistral', 'key']]
    )
    const withoutKeys = ({ name, url, speaks, furtherMembers }: (typeof read.settings)[number]) => ({
      name,
      url,
      speaks,
      furtherMembers
    })
    const ofShipped = readUpstreamsFile(shipped, { MISTRAL_API_KEY: 'key' }).settings
    assert.deepEqual(read.settings.map(withoutKeys), ofShipped.map(withoutKeys))
    const watched: string[] = []
    inspectUpstreamsFile(file, {}, (name) => watched.push(name))
    assert.ok(watched.includes(join(directory, 'openai')), 'a key that comes later is noticed')
  }
})

t.test('optional needs something that can be missing', async (t) => {
  const file = join(t.testdir(), 'upstreams.yaml')
  writeFileSync(file, 'upstreams: { a: { base_url: "http://127.0.0.1:1/v1", optional: true } }')
  assert.throws(() => readUpstreamsFile(file, {}), { message: /upstreams\.a\.optional: has no effect without/ })
})

t.test('each provider has the habits that its page documents', async () => {
  const { settings } = readUpstreamsFile(shipped, everything)
  const of = (name: string) => settings.find((one) => one.name === name)!
  assert.deepEqual(
    settings.filter(({ acceptsIncludeUsage }) => !acceptsIncludeUsage).map(({ name }) => name),
    ['mistral']
  )
  assert.deepEqual(
    settings.filter(({ abortStopsBilling }) => !abortStopsBilling).map(({ name }) => name),
    ['google', 'mistral', 'groq']
  )
  assert.deepEqual(of('anthropic').headers, { 'x-api-key': 'key' })
  assert.deepEqual(of('google').headers, { authorization: 'Bearer key' })
})
