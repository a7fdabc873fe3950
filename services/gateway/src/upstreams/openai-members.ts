import type { ModelKind } from '@tollgate/contracts/catalog/catalog.ts'

/**
 * The top-level request members in the OpenAI API reference for each endpoint, with deprecated ones. A test compares the lists with
 * the types of the official SDK.
 */
export const openaiMembers: Readonly<Record<ModelKind, readonly string[]>> = {
  chat: [
    'audio',
    'frequency_penalty',
    'function_call',
    'functions',
    'logit_bias',
    'logprobs',
    'max_completion_tokens',
    'max_tokens',
    'messages',
    'metadata',
    'modalities',
    'model',
    'moderation',
    'n',
    'parallel_tool_calls',
    'prediction',
    'presence_penalty',
    'prompt_cache_key',
    'prompt_cache_options',
    'prompt_cache_retention',
    'reasoning_effort',
    'response_format',
    'safety_identifier',
    'seed',
    'service_tier',
    'stop',
    'store',
    'stream',
    'stream_options',
    'temperature',
    'tool_choice',
    'tools',
    'top_logprobs',
    'top_p',
    'user',
    'verbosity',
    'web_search_options'
  ],
  completion: [
    'best_of',
    'echo',
    'frequency_penalty',
    'logit_bias',
    'logprobs',
    'max_tokens',
    'model',
    'n',
    'presence_penalty',
    'prompt',
    'seed',
    'stop',
    'stream',
    'stream_options',
    'suffix',
    'temperature',
    'top_p',
    'user'
  ],
  embedding: ['dimensions', 'encoding_format', 'input', 'model', 'user']
}
