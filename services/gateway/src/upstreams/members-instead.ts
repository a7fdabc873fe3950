import type { Api } from '@tollgate/contracts/catalog/apis.ts'

/** Ways to limit the output, by other APIs' names. */
const outputLimits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_tokens_to_sample']
const limitedBy = (name: string) => Object.fromEntries(outputLimits.map((other) => [other, name]))
const inSystemMessage = 'a message with the role system in messages'
const ofChats = 'all messages of the conversation in messages'

/** Members of other APIs, and what each API has instead. Only errors read this. */
export const membersInstead: Readonly<Record<Api, Readonly<Record<string, string>>>> = {
  chat: {
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
    previous_response_id: ofChats,
    conversation: ofChats
  },
  responses: {
    messages: 'input',
    system: 'instructions',
    response_format: 'text.format',
    verbosity: 'text.verbosity',
    reasoning_effort: 'reasoning.effort',
    thinking: 'reasoning.effort',
    functions: 'tools',
    function_call: 'tool_choice',
    logprobs: 'top_logprobs'
  },
  messages: {
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
  },
  completions: { ...limitedBy('max_tokens'), messages: 'prompt', input: 'prompt', stop_sequences: 'stop' },
  embeddings: { messages: 'input', prompt: 'input' }
}
