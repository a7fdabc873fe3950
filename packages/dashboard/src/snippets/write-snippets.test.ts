import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'tap'
import { writeSnippets } from './write-snippets.ts'

const hostile = `It's "quoted" \\ $(rm -rf /) \`x\` \${y}\nnext </script> é`
const options = {
  api: 'chat' as const,
  gatewayUrl: 'http://localhost:8080',
  secret: 'tg_secret',
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: hostile }] as const
}

test('curl sends the message unchanged, whatever shell syntax it contains', async () => {
  for (const isStream of [false, true]) {
    const { curl } = writeSnippets({ ...options, isStream })
    const args = execFileSync('sh', ['-c', curl.replace(/^curl/, 'printf "%s\\0"')], { encoding: 'utf8' }).split('\0')
    const body = args[args.indexOf('-d') + 1] ?? ''
    assert.deepEqual(JSON.parse(body), {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: hostile }],
      ...(isStream && { stream: true })
    })
    assert.ok(args.includes('Authorization: Bearer tg_secret'))
  }
})

test('the snippet for Node is a valid module with the address and the key', async () => {
  for (const isStream of [false, true]) {
    const { node } = writeSnippets({ ...options, isStream })
    execFileSync(process.execPath, ['--check', '--input-type=module', '-'], { input: node })
    assert.match(node, /baseURL: 'http:\/\/localhost:8080\/v1'/)
    assert.match(node, /apiKey: 'tg_secret'/)
    assert.equal(node.includes('stream: true'), isStream)
  }
})

test('the snippet for the AI SDK is a valid module, with the system prompt apart from the messages', async () => {
  for (const isStream of [false, true]) {
    const messages = [{ role: 'system', content: hostile }, ...options.messages] as const
    const { ai } = writeSnippets({ ...options, messages, isStream, temperature: 0, max_tokens: 9 })
    execFileSync(process.execPath, ['--check', '--input-type=module', '-'], { input: ai })
    assert.equal(JSON.parse(ai.match(/instructions: (".*"),/)?.[1] ?? ''), hostile)
    assert.match(ai, /temperature: 0,\n {2}maxOutputTokens: 9,/)
    assert.doesNotMatch(ai, /"system"/)
  }
})

test('parameters are in every snippet that has them', async () => {
  const { curl, node, python } = writeSnippets({ ...options, isStream: true, temperature: 0.5, max_tokens: 9 })
  assert.match(curl, /"temperature": 0.5,\n {2}"max_tokens": 9/)
  assert.match(node, / {2}temperature: 0.5,\n {2}max_tokens: 9,/)
  assert.match(python, / {4}temperature=0.5,\n {4}max_tokens=9,/)
})

test('the snippet for Python writes every text as a one-line string', async () => {
  const { python } = writeSnippets({ ...options, isStream: true })
  const [content = ''] = python.match(/"content": (".*")/)?.slice(1) ?? []
  assert.equal(JSON.parse(content), hostile)
  assert.match(python, /base_url="http:\/\/localhost:8080\/v1"/)
  assert.match(python, /stream=True/)
})

test('a model of Anthropic’s API is called with it in every language, with the system prompt apart', async () => {
  const messages = [{ role: 'system', content: 'Be brief.' }, ...options.messages] as const
  for (const isStream of [false, true]) {
    const { curl, node, python, ai } = writeSnippets({
      ...options,
      api: 'messages',
      messages,
      isStream,
      temperature: 0
    })
    const args = execFileSync('sh', ['-c', curl.replace(/^curl/, 'printf "%s\\0"')], { encoding: 'utf8' }).split('\0')
    assert.deepEqual(JSON.parse(args[args.indexOf('-d') + 1] ?? ''), {
      model: 'gpt-4o-mini',
      max_tokens: 4096,
      temperature: 0,
      system: 'Be brief.',
      ...(isStream && { stream: true }),
      messages: [{ role: 'user', content: hostile }]
    })
    assert.ok(args.includes('http://localhost:8080/v1/messages'))
    for (const source of [node, ai]) {
      execFileSync(process.execPath, ['--check', '--input-type=module', '-'], { input: source })
    }
    assert.match(node, /baseURL: 'http:\/\/localhost:8080',/)
    assert.match(ai, /createAnthropic\(\{\n {2}baseURL: 'http:\/\/localhost:8080\/v1',/)
    assert.match(python, /base_url="http:\/\/localhost:8080",[\s\S]* {4}system="Be brief.",/)
    assert.equal(python.includes('stream=True'), isStream)
  }
})
