import assert from 'node:assert/strict'
import t from 'tap'
import { outcomeOf, post } from '../../testing/client.ts'
import { useResponses } from '../../testing/use-responses.ts'

const api = useResponses(t)
const { ask, bodyOf } = api

t.test('documented members that cost nothing more reach the upstream', async () => {
  const image = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' }
  const body = bodyOf({
    instructions: 'x'.repeat(10_000),
    input: [
      { role: 'developer', content: 'x' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }, image] },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'x', annotations: [], logprobs: [] }]
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }], encrypted_content: 'eA==' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', status: 'completed' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'x' }, image] },
      { type: 'custom_tool_call', call_id: 'd', name: 'g', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'd', output: 'x' },
      {
        type: 'computer_call',
        call_id: 'e',
        action: { type: 'click' },
        pending_safety_checks: [],
        status: 'completed'
      },
      {
        type: 'computer_call_output',
        call_id: 'e',
        output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' }
      },
      { type: 'apply_patch_call', call_id: 'f', operation: { type: 'delete_file', path: 'x' }, status: 'completed' },
      { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'h', parameters: {} }] }
    ],
    tools: [
      { type: 'function', name: 'f', description: 'd', parameters: { properties: { type: {} } }, strict: true },
      { type: 'custom', name: 'g', format: { type: 'grammar', syntax: 'lark', definition: 'd' } },
      { type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'function', name: 'i', parameters: null }] },
      { type: 'local_shell' },
      { type: 'apply_patch' },
      { type: 'computer_use_preview', display_width: 1, display_height: 1, environment: 'mac' }
    ],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
    text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: true }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto', context: 'all_turns', mode: 'standard' },
    include: ['reasoning.encrypted_content'],
    stream_options: { include_obfuscation: false },
    prompt_cache_options: { mode: 'implicit', ttl: '30m' },
    background: false,
    conversation: null,
    truncation: 'auto',
    service_tier: 'auto',
    parallel_tool_calls: false,
    metadata: { a: 'b' },
    user: 'u',
    safety_identifier: 's',
    prompt_cache_key: 'k',
    top_p: 1,
    max_tool_calls: 3
  })
  assert.equal(await outcomeOf(await ask(body)), '200')
  assert.deepEqual(JSON.parse(api.upstream.received.at(-1)!.body), body)
})

t.test('members without a price or a bound are refused with their names', async () => {
  const before = api.upstream.received.length
  for (const [members, code, name] of [
    [{ background: true }, 'unpriced_parameter', 'background'],
    [{ prompt: { id: 'pmpt_1' } }, 'unpriced_parameter', 'prompt'],
    [{ context_management: [{ type: 'compaction' }] }, 'unpriced_parameter', 'context_management'],
    [{ service_tier: 'priority' }, 'unpriced_parameter', 'service_tier'],
    [{ service_tier: 'standard_only' }, 'unpriced_parameter', 'service_tier'],
    [{ modalities: ['text', 'audio'] }, 'unpriced_parameter', 'modalities'],
    [{ prompt_cache_retention: '24h' }, 'unpriced_parameter', 'prompt_cache_retention'],
    [{ prompt_cache_options: { ttl: '12h' } }, 'unpriced_parameter', 'prompt_cache_options'],
    [{ prompt_cache_options: { prewarm: true } }, 'unpriced_parameter', 'prompt_cache_options.prewarm'],
    [
      { prompt_cache_options: { comparison_response_id: 'resp_1' } },
      'unpriced_parameter',
      'prompt_cache_options.comparison_response_id'
    ],
    [{ prompt_cache_options: { ttl: '24h' } }, 'unpriced_parameter', 'prompt_cache_options.ttl'],
    [{ reasoning: { mode: 'pro' } }, 'unpriced_parameter', 'reasoning.mode'],
    [{ max_tokens: 5 }, 'unpriced_parameter', 'max_tokens'],
    [{ n: 2 }, 'unpriced_parameter', 'n'],
    [{ max_output_tokens: 15 }, 'invalid_request', 'max_output_tokens'],
    [{ generate: false }, 'invalid_request', 'generate'],
    [{ Background: true }, 'invalid_request', 'Background'],
    [{ tool_choice: { type: 'mcp' } }, 'unpriced_parameter', 'tool_choice.type'],
    [{ tool_choice: { type: 'web_search' } }, 'unpriced_parameter', 'tools'],
    [{ tools: [{ type: 'web_search' }] }, 'unpriced_parameter', 'tools'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'x' }] }] },
      'unpriced_parameter',
      'input[0].content[0].type'
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'x' }] }] },
      'unpriced_parameter',
      'input[0].content[0].file_id'
    ],
    ...[
      'web_search_preview',
      'file_search',
      'code_interpreter',
      'image_generation',
      'mcp',
      'shell',
      'tool_search',
      'programmatic_tool_calling'
    ].map((type) => [{ tools: [{ type }] }, 'unpriced_parameter', 'tools[0].type'] as const),
    [{ tools: [{ type: 'namespace', tools: [{ type: 'mcp' }] }] }, 'unpriced_parameter', 'tools[0].tools[0].type'],
    [{ tools: [{ type: 'function', name: 'f', server_url: 'x' }] }, 'invalid_request', 'tools[0].server_url'],
    ...['compaction_trigger', 'mcp_call', 'image_generation_call', 'configuration_update'].map(
      (type) => [{ input: [{ type }] }, 'unpriced_parameter', 'input[0].type'] as const
    ),
    [
      { input: [{ type: 'additional_tools', tools: [{ type: 'mcp' }] }] },
      'unpriced_parameter',
      'input[0].tools[0].type'
    ]
  ] as const) {
    const response = await ask(members)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    assert.equal(`${response.status} ${error.code}`, `400 ${code}`, JSON.stringify(members))
    assert.ok(error.message.startsWith(name), `${error.message} names ${name}`)
  }
  const noModel = await post(api.gateway, api.seeded.secret, '/responses', { input: 'x' })
  assert.equal(await outcomeOf(noModel), '400 invalid_request')
  const image = { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://x.com/a.png' }] }] }
  assert.equal(await outcomeOf(await ask({ ...image, model: 'blind' })), '400 unpriced_parameter')
  assert.equal(await outcomeOf(await ask({ model: 'elsewhere' })), '400 wrong_endpoint')
  assert.equal(api.upstream.received.length, before)
})
