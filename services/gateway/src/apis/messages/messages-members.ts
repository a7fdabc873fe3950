import { limitedBy } from '../../request/refuse-unknown.ts'

/**
 * The top-level members of a message request in Anthropic's API reference, with its betas. A test compares the list
 * with the types of the official SDK.
 */
export const latestMembers: readonly string[] = [
  'billing_policy',
  'cache_control',
  'compaction',
  'container',
  'context_management',
  'diagnostics',
  'fallback_credit_token',
  'fallbacks',
  'inference_geo',
  'max_tokens',
  'mcp_servers',
  'messages',
  'metadata',
  'model',
  'output_config',
  'output_format',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'system',
  'thinking',
  'thread',
  'tool_choice',
  'tools'
]

/** All members of a request, with those of the API version 2023-06-01 that later versions lack. */
export const messagesMembers: ReadonlySet<string> = new Set([...latestMembers, 'temperature', 'top_k', 'top_p'])

/** Members of other APIs, and what to send instead. */
export const messagesInstead: Readonly<Record<string, string>> = {
  ...limitedBy('max_tokens'),
  input: 'messages',
  prompt: 'messages',
  instructions: 'system',
  stop: 'stop_sequences',
  response_format: 'output_config.format',
  reasoning: 'output_config.effort',
  reasoning_effort: 'output_config.effort',
  functions: 'tools',
  function_call: 'tool_choice',
  user: 'metadata.user_id'
}
