import { asSchema, type JsonSchema } from '../document.ts'
import { furtherMembers } from './further-members.ts'
import { partTexts } from './part-texts.ts'

type Texts = Readonly<Record<string, string>>

const limit = 'The most output tokens, including reasoning. Without it, the default of the model counts.'
const refused = 'Refused unless it is null: it has no price or no bound.'

/** Members that mean the same in every request. */
const ofRequests: Texts = {
  model: 'The name of the model. `GET /v1/models` lists those that the key may use.',
  stream: 'Whether the answer is a stream of server-sent events.',
  stop: 'Texts that end the answer when the model writes them.',
  n: 'How many answers. You pay for the output of each.',
  best_of: 'How many answers the provider compares. You pay for the output of each.',
  tools: 'Functions that the model may call, and that your code runs.',
  tool_choice: 'Whether the model must call a tool, may, or must not; or which one.',
  functions: 'The older form of `tools`.',
  function_call: 'The older form of `tool_choice`.',
  response_format: 'Text, JSON, or JSON of a schema.',
  stream_options: 'What a stream has besides the answer.',
  usage: 'What the `usage` of the answer has besides tokens.',
  max_tokens: limit,
  max_completion_tokens: limit,
  max_output_tokens: limit,
  prompt: 'The text that the model continues.',
  input: 'The text, or several.',
  messages: 'The conversation, the oldest message first.',
  metadata: 'Your own name for the person who asks. It must not say who that is.',
  context_management: refused,
  inference_geo: refused,
  mcp_servers: refused,
  container: refused,
  compaction: refused,
  fallbacks: refused,
  fallback_credit_token: refused,
  billing_policy: refused,
  diagnostics: refused,
  thread: refused,
  background: refused,
  conversation: 'Never found, because the gateway offers none.'
}

/** Requests whose members mean the same as those of another one. */
const likeRequests: Texts = { TokenCountRequest: 'MessageRequest', InputTokensRequest: 'ResponseRequest' }

/** Members that mean something else, or something more, in a request. */
const ofSchemas: Readonly<Record<string, Texts>> = {
  ChatRequest: { max_tokens: 'The older name of `max_completion_tokens`.' },
  CompletionRequest: { tools: 'Refused unless it is null: use chat completions.' },
  EmbeddingRequest: { tools: 'Refused unless it is null.' },
  MessageRequest: {
    system: 'What the model should know and do in the whole conversation.',
    stop_sequences: 'Texts that end the answer when the model writes them.',
    thinking: 'Whether the model thinks before it answers, and with how many tokens. They are output.',
    output_config: 'The effort of the model, and the schema of its answer.',
    output_format: 'The schema of the answer.',
    cache_control: 'Caches the prompt up to its last part.',
    service_tier: 'Which capacity of the provider answers. It can change the price.',
    speed: 'Only `standard` has a price.',
    max_completion_tokens: 'Refused: use `max_tokens`.',
    max_output_tokens: 'Refused: use `max_tokens`.',
    n: 'Refused unless it is 1.',
    best_of: 'Refused unless it is 1.'
  },
  ResponseRequest: {
    input: 'A text, or the items of the conversation.',
    instructions: 'What the model should know and do.',
    store: 'Whether the provider stores the response. It does unless this is `false`.',
    previous_response_id: 'A stored response of the same key, whose conversation goes on.',
    max_tool_calls: 'The most calls of tools that the provider runs.',
    text: 'The format of the text: plain, or JSON of a schema.',
    reasoning: 'How much the model reasons, and what you see of it.',
    include: 'Further parts of the answer.',
    prompt_cache_options: 'How long the provider keeps the prompt in its cache.',
    prompt: 'Refused: the length of a stored prompt is not known.',
    max_tokens: 'Refused: use `max_output_tokens`.',
    max_completion_tokens: 'Refused: use `max_output_tokens`.',
    n: 'Refused unless it is 1.',
    best_of: 'Refused unless it is 1.'
  },
  ModerationRequest: { input: 'Texts, or texts and pictures.' },
  TokenCountRequest: { max_tokens: 'Changes nothing: the prompt is counted.' },
  InputTokensRequest: {
    parallel_tool_calls: 'Whether the model may call several tools at once.',
    personality: 'The manner of the answer.',
    truncation: 'Whether the oldest items are dropped if the input is too long.'
  },
  CompactRequest: {
    previous_response_id: 'A stored response of the same key, whose conversation is shortened.',
    prompt_cache_key: 'Requests with the same key more likely find the provider’s cache.',
    prompt_cache_options: 'How long the provider keeps the prompt in its cache.',
    service_tier: 'Which capacity of the provider answers. Only tiers with a price of the model are allowed.',
    input: 'The items of the conversation.',
    instructions: 'What the model should know and do.'
  }
}

/**
 * Describes the members of a request that do not describe themselves, and adds those that the gateway only passes on.
 * Other schemas stay as they are.
 */
export function describeMembers(name: string, schema: object): object {
  if (!name.endsWith('Request')) return { ...schema }
  const general = likeRequests[name] ?? name
  const described = withTexts(schema as JsonSchema, { ...ofRequests, ...ofSchemas[general], ...ofSchemas[name] })
  const properties = { ...asSchema(described.properties), ...furtherMembers[general] }
  // Members of the whole response that a request for a part of it does not have.
  return name === general ? { ...described, properties } : described
}

function withTexts(schema: JsonSchema, texts: Texts, parent = ''): JsonSchema {
  const described = { ...schema }
  if (schema.properties !== undefined) {
    described.properties = Object.fromEntries(
      Object.entries(asSchema(schema.properties)).map(([name, member]) => {
        const inner = withTexts(asSchema(member), partTexts, name)
        const text = inner.description ?? texts[`${parent}.${name}`] ?? texts[name]
        return [name, text === undefined ? inner : { ...inner, description: text }]
      })
    )
  }
  for (const kind of ['anyOf', 'oneOf'] as const) {
    const alternatives = schema[kind]
    if (Array.isArray(alternatives)) {
      described[kind] = alternatives.map((one) => withTexts(asSchema(one), texts, parent))
    }
  }
  if (schema.items !== undefined) described.items = withTexts(asSchema(schema.items), texts, parent)
  return described
}
