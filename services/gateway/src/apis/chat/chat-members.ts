import { limitedBy } from '../../request/refuse-unknown.ts'

/**
 * The top-level members in OpenAI's API reference, with deprecated ones. A test compares the list with the types of the
 * official SDK.
 */
export const chatMembers: ReadonlySet<string> = new Set([
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
])

const inSystemMessage = 'a message with the role system in messages'
const inMessages = 'all messages of the conversation in messages'

/** Members of other APIs, and what to send instead. */
export const chatInstead: Readonly<Record<string, string>> = {
  ...limitedBy('max_completion_tokens'),
  input: 'messages',
  prompt: 'messages',
  instructions: inSystemMessage,
  system: inSystemMessage,
  text: 'response_format',
  output_config: 'response_format',
  reasoning: 'reasoning_effort',
  thinking: 'reasoning_effort',
  stop_sequences: 'stop',
  previous_response_id: inMessages,
  conversation: inMessages
}
