import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'tap'
import type { SiteModel } from './site-facts.ts'
import { writeSnippets } from './snippets.ts'

const hostile = `evil/it's "x" \\ $(rm -rf /) \`y\` \${z}`
const gatewayUrl = 'http://localhost:8080'
const modelOf = (kind: SiteModel['kind'], endpoints: string[] | null = null) =>
  ({ id: hostile, kind, endpoints }) as unknown as SiteModel

const kinds = ['chat', 'completion', 'embedding', 'moderation'] as const
const models = [...kinds.map((kind) => modelOf(kind)), modelOf('chat', ['/v1/messages'])]

test('curl sends valid JSON with the name of the model, whatever shell syntax it contains', async () => {
  for (const model of models) {
    const { curl } = writeSnippets(model, gatewayUrl)
    const args = execFileSync('sh', ['-c', curl.replace(/^curl/, 'printf "%s\\0"')], { encoding: 'utf8' }).split('\0')
    const body = JSON.parse(args[args.indexOf('-d') + 1] ?? '') as { model: string }
    assert.equal(body.model, hostile)
    assert.ok(args[0]?.startsWith(`${gatewayUrl}/v1/`))
  }
})

test('the snippets of Node are valid modules', async () => {
  for (const model of models) {
    const { node } = writeSnippets(model, gatewayUrl)
    execFileSync(process.execPath, ['--check', '--input-type=module', '-'], { input: node })
    assert.ok(node.includes(JSON.stringify(hostile)))
  }
})

test('a model that only Anthropic’s API has is called with its SDK, without /v1 in the base URL', async () => {
  const { node, python } = writeSnippets(modelOf('chat', ['/v1/messages']), gatewayUrl)
  assert.match(node, /@anthropic-ai\/sdk.*baseURL: 'http:\/\/localhost:8080',/s)
  assert.match(python, /base_url="http:\/\/localhost:8080",/)
  const both = writeSnippets(modelOf('chat', ['/v1/chat/completions', '/v1/messages']), gatewayUrl)
  assert.match(both.python, /from openai import OpenAI.*base_url="http:\/\/localhost:8080\/v1"/s)
})
