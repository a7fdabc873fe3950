import { exampleModel } from '../document.ts'

/**
 * Requests and answers of the gateway for the document, by the id of their operation. Answers are those of the wire,
 * without members that say nothing.
 */

const prompt = [{ role: 'user', content: 'Hello!' }]
const created = 1796040000
const hello = 'Hello! How can I help you today?'
const model = exampleModel
const responseId = 'resp_68b2f1c04d7c8190a1e5f3b7d9c20468'
const messageId = 'msg_68b2f1c1e3a08190b7d4c5e6f7a80913'

export const requestExamples: Readonly<Record<string, unknown>> = {
  createChatCompletion: { model, messages: prompt },
  createCompletion: { model, prompt: 'Once upon a time', max_tokens: 64 },
  createEmbedding: { model, input: 'Hello!' },
  createModeration: { model, input: 'Hello!' },
  createMessage: { model, max_tokens: 1024, messages: prompt },
  countMessageTokens: { model, messages: prompt },
  createResponse: { model, input: 'Hello!' },
  compactConversation: { model, input: prompt },
  countInputTokens: { model, input: 'Hello!' }
}

const usage = {
  prompt_tokens: 9,
  completion_tokens: 10,
  total_tokens: 19,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 }
}
const responseUsage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 19
}
const response = {
  id: responseId,
  object: 'response',
  created_at: created,
  status: 'completed',
  model,
  output: [
    {
      id: messageId,
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: hello, annotations: [] }]
    }
  ],
  usage: responseUsage
}
const budget = {
  of: 'key',
  window: 'month',
  models: null,
  limit_usd: '50.00',
  spent_usd: '12.503',
  reserved_usd: '0.00',
  remaining_usd: '37.497',
  resets_at: '2026-12-01T00:00:00.000Z'
}
const modelEntry = {
  id: model,
  object: 'model',
  created: 1790035200,
  owned_by: 'openai',
  description: 'Old and small, for well-defined tasks with precise prompts.',
  knowledge_cutoff: '2024-05',
  supported_features: ['tools', 'json_mode', 'structured_outputs', 'reasoning', 'prompt_caching'],
  endpoints: ['/v1/chat/completions', '/v1/responses'],
  context_length: 400000,
  top_provider: { context_length: 400000, max_completion_tokens: 128000 },
  pricing: { prompt: '0.0000001', input_cache_read: '0.00000001', completion: '0.0000005', request: '0' }
}

export const answerExamples: Readonly<Record<string, unknown>> = {
  createChatCompletion: {
    id: 'chatcmpl-7J8aag6Wqmw9haNKYNsCJ2Ge',
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: hello, refusal: null },
        logprobs: null,
        finish_reason: 'stop'
      }
    ],
    usage
  },
  createCompletion: {
    id: 'cmpl-dXOLiRvE1xLmBZWnEpCzvr9L',
    object: 'text_completion',
    created,
    model,
    choices: [{ index: 0, text: ', there was a gate.', logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 }
  },
  createEmbedding: {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.0153, -0.0979, 0.0134] }],
    model,
    usage: { prompt_tokens: 2, total_tokens: 2 }
  },
  createModeration: {
    id: 'modr-5MWoLO3Iy0kq2x9m',
    model,
    results: [
      {
        flagged: false,
        categories: { harassment: false, violence: false },
        category_scores: { harassment: 0.00002, violence: 0.0004 }
      }
    ]
  },
  createMessage: {
    id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: hello }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 9, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 10 }
  },
  countMessageTokens: { input_tokens: 9 },
  createResponse: response,
  getResponse: response,
  compactConversation: {
    id: responseId,
    object: 'response.compaction',
    created_at: created,
    output: [
      { id: messageId, type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello!' }] },
      { id: 'cmp_68b2f1c2', type: 'compaction', encrypted_content: 'gAAAAABo…' }
    ],
    usage: { input_tokens: 9, output_tokens: 24, total_tokens: 33 }
  },
  countInputTokens: { object: 'response.input_tokens', input_tokens: 9 },
  deleteResponse: { id: responseId, object: 'response', deleted: true },
  listInputItems: {
    object: 'list',
    data: [{ id: messageId, type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello!' }] }],
    first_id: messageId,
    last_id: messageId,
    has_more: false
  },
  listModels: { object: 'list', data: [modelEntry] },
  getModel: modelEntry,
  getCurrentKey: {
    data: {
      id: 'key_4pTqWm8ZxR2vLc7NsB1dKf9H',
      label: 'My app',
      plan: { id: 'pro', name: 'Pro' },
      models: [model],
      expires_at: null,
      budgets: [budget],
      limits: {
        requests: { of: 'account', per_minute: 500, burst: 84, left: 84, full_in_ms: 0 },
        tokens: { of: 'account', per_minute: 1000000, burst: 1000000, left: 993185, full_in_ms: 409 },
        concurrent_requests: { limit: 50, in_use: 0 },
        free_models: []
      },
      limit: 50,
      limit_remaining: 37.497,
      limit_reset: 'monthly',
      usage: null,
      usage_daily: null,
      usage_weekly: null,
      usage_monthly: 12.503,
      is_free_tier: false,
      is_management_key: false,
      is_provisioning_key: false
    }
  },
  getCredits: { data: { total_credits: 100, total_usage: 48.456 } }
}

const chunk = (choices: readonly unknown[], counted: unknown = null) => ({
  id: 'chatcmpl-ep0Alis4VFlKpsBN0om8nwr9',
  object: 'chat.completion.chunk',
  created,
  model,
  choices,
  usage: counted
})
const piece = (delta: object, finish_reason: string | null = null) => chunk([{ index: 0, delta, finish_reason }])
/** Writes the events of a stream. Those with a type are named. */
const sse = (events: ReadonlyArray<Readonly<Record<string, unknown>>>): string =>
  events
    .map((event) => `${typeof event.type === 'string' ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n`)
    .join('\n')

const chatStream = [
  piece({ role: 'assistant', content: '' }),
  piece({ content: 'Hello' }),
  piece({ content: '!' }),
  piece({}, 'stop'),
  chunk([], { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 })
]
const { usage: _usage, ...running } = response

/** Streams of the same requests with `stream: true`. */
export const streamExamples: Readonly<Record<string, string>> = {
  // With `stream_options: { include_usage: true }`.
  createChatCompletion: `${sse(chatStream)}\ndata: [DONE]\n`,
  createMessage: sse([
    {
      ...{ type: 'message_start' },
      message: {
        ...{ id: 'msg_01XFDUDYJgAACzvnptvVoYEL', type: 'message', role: 'assistant', model, content: [] },
        ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 9, output_tokens: 1 } }
      }
    },
    { ...{ type: 'content_block_start', index: 0 }, content_block: { type: 'text', text: '' } },
    { ...{ type: 'content_block_delta', index: 0 }, delta: { type: 'text_delta', text: 'Hello!' } },
    { ...{ type: 'content_block_stop', index: 0 } },
    {
      ...{ type: 'message_delta' },
      ...{ delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } }
    },
    { type: 'message_stop' }
  ]),
  createResponse: sse([
    {
      ...{ type: 'response.created', sequence_number: 0 },
      response: { ...running, status: 'in_progress', output: [] }
    },
    {
      ...{ type: 'response.output_text.delta', sequence_number: 4, item_id: messageId },
      ...{ output_index: 0, content_index: 0, delta: hello }
    },
    { ...{ type: 'response.completed', sequence_number: 8 }, response }
  ])
}
