import assert from 'node:assert/strict'
import t from 'tap'
import { callsOf, type FakeUpstream } from '../../testing/fake-upstream.ts'
import { messageOf, messagesFile, postMessage, startMessages } from '../../testing/message-answers.ts'
import { catalogOf, type TestGateway, testCatalog } from '../../testing/start-gateway.ts'

const { small } = testCatalog.models
const { images: _noImages, ...blind } = small!
const catalog = {
  models: {
    small: small!,
    blind,
    chat: { ...small!, route: [{ ...small!.route[0]!, upstream: 'other' }] }
  },
  plans: { free: { ...testCatalog.plans.free!, models: ['small', 'blind', 'chat'] } }
}

let upstream: FakeUpstream
let gateway: TestGateway
let secret = ''
t.before(async () => {
  const started = await startMessages({ catalog })
  ;({ upstream, gateway } = started)
  t.teardown(started.close)
  gateway.writeUpstreams(fileWith(''))
  await gateway.reloadUpstreams()
  secret = (await gateway.seedKey()).secret
})
const fileWith = (members: string): string =>
  messagesFile(upstream.url, members).replace(/ \}$/, `, other: { base_url: '${upstream.url}/v1', speaks: [chat] } }`)

/** @returns the status, and the code and the message of a failure */
async function ask(members: object, headers: Record<string, string> = {}, path = ''): Promise<string> {
  const response = await postMessage(gateway, secret, messageOf('small', members), { headers, path })
  const { error } = (await response.json()) as { error?: { message: string; details: { error_code: string } } }
  return error === undefined
    ? String(response.status)
    : `${response.status} ${error.details.error_code} ${error.message}`
}
const content = (...blocks: object[]) => ({ messages: [{ role: 'user', content: blocks }] })
const image = (source: object) => ({ type: 'image', source })
const source = { type: 'base64', media_type: 'image/png', data: 'aGk=' }

t.test('what can be bounded and priced passes', async () => {
  for (const members of [
    { system: 'Be brief', stop_sequences: ['x'], temperature: 0.5, top_k: 4, top_p: 0.9 },
    { system: [{ type: 'text', text: 'Be brief', citations: null }], metadata: { user_id: 'u' } },
    { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'low' } },
    { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } },
    {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Now', output_config: { effort: 'medium' }, clear_at: 'next_user_message' },
        { role: 'system', output_config: { effort: 'low' } }
      ]
    },
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } }, service_tier: 'standard_only' },
    {
      tools: [{ name: 'a', input_schema: { type: 'object' }, strict: true }],
      tool_choice: { type: 'tool', name: 'a' }
    },
    { tools: [{ type: 'bash_20250124', name: 'bash' }], speed: 'standard', inference_geo: null, container: null },
    { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } },
    content(
      { type: 'text', text: 'What is it?' },
      image(source),
      image({ type: 'url', url: 'https://example.com/a.png' })
    ),
    content({
      type: 'tool_result',
      tool_use_id: 't',
      is_error: false,
      content: [{ type: 'text', text: 'x' }, image(source)]
    }),
    content({ type: 'search_result', source: 'here', title: 't', content: [{ type: 'text', text: 'x' }] }),
    {
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 's' },
            { type: 'redacted_thinking', data: 'x' },
            { type: 'tool_use', id: 't', name: 'a', input: { any: [1, { thing: null }] } }
          ]
        },
        { role: 'system', content: [{ type: 'text', text: 'Now' }] }
      ]
    }
  ]) {
    assert.equal(await ask(members), '200', JSON.stringify(members))
  }
})

t.test('what cannot be bounded or priced is refused, also when only counting, and says why', async () => {
  const before = callsOf(upstream.received).length
  for (const [members, why] of [
    [
      { tools: [{ type: 'web_search_20260209', name: 'web_search' }] },
      /^tools\[0\]\.type: .* tool that the provider runs/
    ],
    [{ tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }, /^tools\[0\]\.type/],
    [{ tools: [{ type: 'code_execution_20260521', name: 'c' }] }, /^tools\[0\]\.type/],
    [{ tools: [{ type: 'tool_search_tool_regex_20251119', name: 's' }] }, /^tools\[0\]\.type/],
    [{ tools: [{ type: 'advisor_20260301', name: 'advisor' }] }, /^tools\[0\]\.type/],
    [{ mcp_servers: [{ type: 'url', url: 'https://x' }] }, /^mcp_servers: /],
    [{ container: 'c' }, /^container: /],
    [{ diagnostics: { previous_message_id: 'msg_1' } }, /^diagnostics: /],
    [{ fallbacks: [{ model: 'large' }] }, /^fallbacks: /],
    [{ billing_policy: {} }, /^billing_policy: /],
    [{ compaction: { type: 'auto' } }, /^compaction: /],
    [
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
      /^context_management\.edits\[0\]\.type: .*compaction/
    ],
    [{ speed: 'fast' }, /^speed: /],
    [{ inference_geo: 'us' }, /^inference_geo: /],
    [{ service_tier: 'priority' }, /^service_tier: /],
    [content({ type: 'document', source }), /^messages\[0\]\.content\[0\]\.type: .*files are refused/],
    [content({ type: 'container_upload', file_id: 'f' }), /^messages\[0\]\.content\[0\]\.type/],
    [content(image({ type: 'file', file_id: 'f' })), /^messages\[0\]\.content\[0\]\.source\.type: files are refused/],
    [{ model: 'blind', ...content(image(source)) }, /this model takes no images/i],
    [{ cache_control: { type: 'ephemeral' } }, /^cache_control: .* no price for writing/],
    [
      { system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
      /^cache_control: .* no price for writing/
    ],
    [{ max_completion_tokens: 5 }, /max_tokens instead/],
    [{ n: 2 }, /^n: /]
  ] as const) {
    for (const path of ['', '/count_tokens']) {
      const [status, code, ...message] = (await ask(members, {}, path)).split(' ')
      assert.equal(`${status} ${code}`, '400 unpriced_parameter', JSON.stringify(members))
      assert.match(message.join(' '), why)
    }
  }
  assert.match(await ask({ thread: { type: 'create' } }), /^400 thread_unsupported_request Threads are not offered/)
  assert.equal(callsOf(upstream.received).length, before, 'nothing reached the provider')
})

t.test('a request that is not valid is refused with the member that is wrong', async () => {
  for (const [members, message] of [
    [{ max_tokens: undefined }, 'max_tokens: missing'],
    [{ max_tokens: 0 }, 'max_tokens: must be a whole number of at least 1'],
    [{ messages: [] }, 'messages: must be an array with at least 1 item'],
    [content({ type: 'text', text: 'x', secret: 1 }), 'messages[0].content[0].secret: not supported here'],
    [
      { messages: [{ role: 'system', content: 'x', output_config: { task_budget: {} } }] },
      'messages[0].output_config.task_budget: not supported here'
    ],
    [{ unheard_of: 1 }, 'unheard_of: this model does not accept this member'],
    [{ stream_options: { include_usage: true } }, 'stream_options: this model does not accept this member'],
    [{ max_tokens: undefined, MAX_TOKENS: 5 }, 'MAX_TOKENS: write it as max_tokens']
  ] as const) {
    assert.ok((await ask(members)).startsWith(`400 invalid_request ${message}`), message)
  }
  assert.match(await ask({ model: 'chat' }), /^400 wrong_endpoint .* Send the request to \/v1\/chat\/completions/)
})

t.test('a version is required, and betas pass if they are known or allowed by the operator', async () => {
  assert.match(await ask({}, { 'anthropic-version': '' }), /^400 invalid_request anthropic-version: /)
  assert.match(await ask({}, { 'anthropic-version': 'latest' }), /^400 invalid_request anthropic-version: /)
  assert.equal(await ask({}, { 'anthropic-version': '2026-10-21' }), '200')
  assert.equal(await ask({}, { 'anthropic-beta': 'interleaved-thinking-2025-05-14,effort-2025-11-24' }), '200')
  const further = { 'anthropic-beta': 'effort-2025-11-24, context-1m-2025-08-07' }
  assert.match(
    await ask({}, further),
    /^400 invalid_request anthropic-beta: this model does not accept context-1m-2025-08-07/
  )
  assert.match(await ask({}, { 'anthropic-beta': 'a b' }), /^400 invalid_request anthropic-beta: not a list of names/)
  gateway.writeUpstreams(fileWith(', betas: [context-1m-2025-08-07]'))
  await gateway.reloadUpstreams()
  assert.equal(await ask({}, further), '200')
  assert.equal(callsOf(upstream.received).at(-1)!.request.headers['anthropic-beta'], further['anthropic-beta'])
})

t.test('with several upstreams, a beta passes only if all of them accept it', async () => {
  const catalog = catalogOf({ small: [{ upstream: 'test' }, { upstream: 'second' }] })
  const entry = `base_url: '${upstream.url}/v1', speaks: [messages]`
  const other = await startMessages({
    catalog,
    upstreamsFile: `upstreams: { test: { ${entry}, betas: [a-2026-01-01, b-2026-01-01] }, second: { ${entry}, betas: [b-2026-01-01] } }`
  })
  t.teardown(other.close)
  const key = await other.gateway.seedKey()
  const statusFor = async (beta: string) =>
    (await postMessage(other.gateway, key.secret, messageOf('small'), { headers: { 'anthropic-beta': beta } })).status
  assert.equal(await statusFor('a-2026-01-01'), 400)
  assert.equal(await statusFor('b-2026-01-01'), 200)
})
