import assert from 'node:assert/strict'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

let upstream: FakeUpstream
let gateway: TestGateway
let seeded: SeededKey
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url)
  seeded = await gateway.seedKey()
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const chat = (body: unknown) => post(gateway, seeded.secret, '/chat/completions', body)

async function refused(body: string): Promise<{ code: string; message: string }> {
  const response = await chat(body)
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  return { code: `${response.status} ${error.code}`, message: error.message }
}

const messages = '"messages":[{"role":"user","content":"x"}]'
const withMembers = (members: string) => `{"model":"small",${messages},${members}}`
const withMessage = (message: string) => `{"model":"small","messages":[${message}]}`
const tool = '"type":"function","function":{"name":"f"}'

t.test('a repeated or misspelled name is refused at every depth, with its path', async () => {
  for (const [body, path] of [
    [withMembers('"tools":[{"type":"function","type":"web_search"}]'), 'tools[0].type'],
    [withMembers('"tools":[{"type":"function","\\u0074ype":"function"}]'), 'tools[0].type'],
    [withMembers(`"tools":[{${tool}},{"Type":"web_search",${tool}}]`), 'tools[1].Type'],
    [withMembers('"tools":[{"type":"function","function":{"name":"f","Name":"g"}}]'), 'tools[0].function.Name'],
    [withMembers(`"tools":[{${tool},"\\u0054ype":"x"}]`), 'tools[0].Type'],
    [withMembers('"stream_options":{"include_usage":true,"include_usage":false}'), 'stream_options.include_usage'],
    [withMembers('"stream_options":{"Include_Usage":true}'), 'stream_options.Include_Usage'],
    [withMembers('"response_format":{"type":"text","type":"json_object"}'), 'response_format.type'],
    [withMessage('{"role":"user","content":"x","content":"y"}'), 'messages[0].content'],
    [withMessage('{"role":"user","content":"x","Role":"system"}'), 'messages[0].Role'],
    // Servers that ignore the case of names read the Kelvin sign as a k.
    [withMessage('{"role":"assistant","tool_calls":[],"tool_\u212aalls":[]}'), 'messages[0].tool_\u212aalls'],
    [withMembers(`"tools":[{${tool},"cache_control":{},"cache_control":{}}]`), 'tools[0].cache_control'],
    [withMessage('{"role":"user","content":[{"type":"text","text":"x","text":"y"}]}'), 'messages[0].content[0].text'],
    [
      withMessage('{"role":"user","content":[{"type":"image_url","image_url":{"url":"x","URL":"y"}}]}'),
      'messages[0].content[0].image_url.URL'
    ],
    // Free objects may have any names, each only once.
    [
      withMembers('"tools":[{"type":"function","function":{"name":"f","parameters":{"a":{"b":1,"b":2}}}}]'),
      'tools[0].function.parameters.a.b'
    ],
    [withMembers('"metadata":{"a":"1","a":"2"}'), 'metadata.a'],
    [withMembers('"unknown":[{"a":1,"\\u0061":2}]'), 'unknown[0].a']
  ] as const) {
    const { code, message } = await refused(body)
    assert.equal(code, '400 invalid_request', body)
    assert.ok(message.startsWith(`${path}: `), `${message} names ${path}`)
  }
  assert.equal(upstream.received.length, 0)
})

t.test('priced or bounded members are accepted only in the documented form', async () => {
  for (const [body, expected, path] of [
    [withMembers('"tools":{"type":"web_search"}'), 'invalid_request', 'tools'],
    [withMembers('"tools":"web_search"'), 'invalid_request', 'tools'],
    [withMembers('"tools":["web_search"]'), 'invalid_request', 'tools[0]'],
    [withMembers('"tools":[{"type":"web_search"}]'), 'unpriced_parameter', 'tools[0].type'],
    [withMembers('"tools":[{"type":"web_search","type":"function"}]'), 'unpriced_parameter', 'tools[0].type'],
    [withMembers('"tools":[{"type":null}]'), 'unpriced_parameter', 'tools[0].type'],
    [withMembers(`"tools":[{${tool},"web_search":{}}]`), 'invalid_request', 'tools[0].web_search'],
    [withMembers('"tool_choice":{"type":"web_search"}'), 'unpriced_parameter', 'tool_choice.type'],
    [withMembers('"stream_options":[]'), 'invalid_request', 'stream_options'],
    [withMembers('"stream_options":{"include_usage":1}'), 'invalid_request', 'stream_options.include_usage'],
    [withMembers('"response_format":"json"'), 'invalid_request', 'response_format'],
    [withMessage('{"role":"user","content":{"type":"text","text":"x"}}'), 'invalid_request', 'messages[0].content'],
    [withMessage('{"role":"user","content":["x"]}'), 'unpriced_parameter', 'messages[0].content[0]'],
    [withMessage('{"role":"user","content":[{"text":"x"}]}'), 'invalid_request', 'messages[0].content[0].type'],
    [
      withMessage('{"role":"user","content":[{"type":"video_url"}]}'),
      'unpriced_parameter',
      'messages[0].content[0].type'
    ],
    [
      withMessage('{"role":"user","content":[{"type":"text","text":"x","video_url":{"url":"x"}}]}'),
      'invalid_request',
      'messages[0].content[0].video_url'
    ],
    [withMessage('{"role":"user","content":[{"type":"image_url"}]}'), 'invalid_request', 'messages'],
    [withMessage('{"role":"assistant","images":[{"image_url":{"url":"x"}}]}'), 'invalid_request', 'messages[0].images'],
    [withMessage('{"content":"x"}'), 'invalid_request', 'messages[0].role'],
    [withMessage('{"role":null,"content":"x"}'), 'invalid_request', 'messages[0].role'],
    [
      withMessage(
        '{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}]}'
      ),
      'unpriced_parameter',
      'messages[0].content[0].cache_control.ttl'
    ],
    [withMembers('"n":{}'), 'invalid_request', 'n']
  ] as const) {
    const { code, message } = await refused(body)
    assert.equal(code, `400 ${expected}`, body)
    assert.ok(message.startsWith(`${path}: `), `${message} names ${path}`)
  }
  assert.equal(upstream.received.length, 0)
})

const parameters = {
  type: 'object',
  properties: { type: { enum: ['a'] }, Type: { type: 'string' }, TYPE: {}, content: { anyOf: [{}, true] } },
  $defs: { x: { $ref: '#' } }
}
const breakpoint = { mode: 'explicit', ttl: '30m' }

t.test('every documented member of a structure reaches the upstream unchanged', async () => {
  const everything = chatOf('small', {
    messages: [
      { role: 'developer', content: 'x', name: 'n' },
      { role: 'system', content: [{ type: 'text', text: 'x', prompt_cache_breakpoint: breakpoint }] },
      {
        role: 'user',
        name: 'n',
        content: [
          { type: 'text', text: 'x' },
          {
            type: 'image_url',
            image_url: { url: 'https://x.com/é.png', detail: 'original' },
            prompt_cache_breakpoint: breakpoint
          },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
        ]
      },
      {
        role: 'assistant',
        content: [{ type: 'refusal', refusal: 'x' }],
        refusal: null,
        audio: null,
        function_call: null,
        annotations: [{ type: 'url_citation', url_citation: { start_index: 0, end_index: 1, title: 't', url: 'u' } }],
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"Type":1}' } },
          { id: 'b', type: 'custom', custom: { name: 'c', input: 'x' } }
        ]
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', function_call: { name: 'f', arguments: '' } },
      { role: 'function', name: 'f', content: null }
    ],
    tools: [
      { type: 'function', function: { name: 'f', description: 'd', parameters, strict: null } },
      { type: 'custom', custom: { name: 'c', description: 'd', format: { type: 'text' } } },
      {
        type: 'custom',
        custom: { name: 'c', format: { type: 'grammar', grammar: { definition: 'd', syntax: 'lark' } } }
      }
    ],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] }
    },
    functions: [{ name: 'f', description: 'd', parameters }],
    function_call: { name: 'f' },
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'n', description: 'd', schema: parameters, strict: true }
    },
    stream_options: { include_usage: true, include_obfuscation: false },
    stream: false,
    stop: ['a', 'b'],
    n: 1,
    max_tokens: 16,
    modalities: ['text'],
    service_tier: 'auto',
    frequency_penalty: 0.5,
    presence_penalty: null,
    logit_bias: { 1: 5, '-2': 1 },
    logprobs: true,
    top_logprobs: 2,
    metadata: { Type: 'x', type: 'y' },
    parallel_tool_calls: true,
    prompt_cache_key: 'k',
    reasoning_effort: 'low',
    safety_identifier: 's',
    seed: 1,
    store: false,
    temperature: 1,
    top_p: 0.1,
    user: 'u',
    verbosity: 'low'
  })
  for (const more of [
    {},
    { tool_choice: 'auto', function_call: 'none', response_format: { type: 'text' }, stop: 'x' },
    {
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_object' },
      stop: null
    },
    { tool_choice: { type: 'custom', custom: { name: 'f' } }, tools: null, stream_options: null }
  ]) {
    const body = JSON.stringify({ ...everything, ...more })
    assert.equal(await outcomeOf(await chat(body)), '200')
    assert.partialDeepStrictEqual(JSON.parse(upstream.received.at(-1)!.body), JSON.parse(body))
  }
  for (const prompt of ['x', ['x'], [1], [[1]]]) {
    const members = { suffix: null, best_of: 1, echo: true, logprobs: 1, stop: ['x'], seed: 1, logit_bias: { 1: 1 } }
    const response = await post(gateway, seeded.secret, '/completions', { model: 'writer', prompt, ...members })
    assert.equal(await outcomeOf(response), '200')
  }
  const embedding = { model: 'embedder', input: ['x'], dimensions: 5, encoding_format: 'base64', user: 'u' }
  assert.equal(await outcomeOf(await post(gateway, seeded.secret, '/embeddings', embedding)), '200')
})

t.test('members that agents repeat from other providers’ answers, and cache hints, pass', async () => {
  const body = chatOf('small', {
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
        cache_control: null
      },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'x', signature: 's' }],
        reasoning: 'x',
        reasoning_content: 'x',
        reasoning_details: [{ type: 'reasoning.text', text: 'x', index: 0 }],
        thinking_blocks: [{ type: 'thinking', thinking: 'x' }],
        parsed: null,
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            index: 0,
            function: { name: 'f', arguments: '{}' },
            extra_content: { google: { thought_signature: 'x' } }
          }
        ]
      },
      { role: 'tool', tool_call_id: 'a', name: 'f', content: 'x' },
      { role: 'assistant', content: 'The', prefix: true, partial: true }
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters }, cache_control: { type: 'ephemeral', ttl: '5m' } }],
    response_format: { type: 'json_object', schema: parameters }
  })
  assert.equal(await outcomeOf(await chat(body)), '200')
})
