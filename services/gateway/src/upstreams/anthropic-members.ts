/**
 * The top-level members of a message request in Anthropic's API reference, with its betas. A test compares the first list with the types of
 * the official SDK.
 */
export const anthropicMembers: readonly string[] = [
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

/** Members of the API version 2023-06-01 that later versions lack. */
export const olderAnthropicMembers: readonly string[] = ['temperature', 'top_k', 'top_p']
