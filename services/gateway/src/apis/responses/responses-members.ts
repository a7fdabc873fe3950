/**
 * The top-level members in OpenAI's API reference, with deprecated ones. A test compares the list with the types of the
 * official SDK. `client_metadata` is not in the reference: Codex sends it to OpenAI, as labels without a price.
 */
export const responsesMembers: ReadonlySet<string> = new Set([
  'access_programs',
  'background',
  'client_metadata',
  'context_management',
  'conversation',
  'image',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'moderation',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user'
])

/** Members of other APIs, and what to send instead. */
export const responsesInstead: Readonly<Record<string, string>> = {
  messages: 'input',
  system: 'instructions',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
  reasoning_effort: 'reasoning.effort',
  thinking: 'reasoning.effort',
  functions: 'tools',
  function_call: 'tool_choice',
  logprobs: 'top_logprobs'
}
